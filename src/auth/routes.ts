/** `/auth`: registration, login and the signed-in user. */
import { Hono } from "hono";
import type { AppEnv } from "../http/env";
import { sessionOf, sessionOnly } from "../http/permissions";
import { byIp, limit } from "../http/rate-limit";
import { describeRoute } from "../http/route-docs";
import { body } from "../http/validate";
import { visitOf } from "../http/visit";
import { tokenPair } from "../sessions/schemas";
import { iso } from "../time";
import { dataOf } from "../wire/schemas";
import { login } from "./login";
import { credentials, type Profile, profile as profileSchema, registration } from "./schemas";
import { register } from "./signup";

export const publicAuthRoutes = new Hono<AppEnv>()
  .post(
    "/register",
    describeRoute("register", "Creates a user with a tenant of their own, or in the tenant of an invitation.", {
      201: dataOf(tokenPair),
      errors: ["FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN"],
      description: "The first session works at once. Later logins need a verified email.",
    }),
    limit("register", byIp),
    body(registration),
    async (c) => {
      const { tokens } = await register(c.get("deps"), c.req.valid("json"), visitOf(c));
      return c.json({ data: tokens }, 201);
    },
  )
  .post(
    "/login",
    describeRoute("login", "Opens a session.", {
      200: dataOf(tokenPair),
      errors: ["UNAUTHENTICATED", "INVALID_TOTP", "EMAIL_NOT_VERIFIED", "TOTP_REQUIRED", "NOT_FOUND", "ACCOUNT_LOCKED"],
      description: "Ten wrong passwords in a row lock an email for 15 minutes; each further lock lasts twice as long.",
    }),
    limit("login", byIp),
    body(credentials),
    async (c) => {
      const { tokens } = await login(c.get("deps"), c.req.valid("json"), visitOf(c));
      return c.json({ data: tokens });
    },
  );

export const accountRoutes = new Hono<AppEnv>().get(
  "/me",
  describeRoute("getMe", "The signed-in user, their tenant and their permissions there.", {
    200: dataOf(profileSchema),
  }),
  sessionOnly,
  async (c) => {
    const { tenantId, userId, account, role, permissions } = sessionOf(c);
    const data: Profile = {
      id: userId,
      email: account.email,
      name: account.name,
      emailVerified: account.emailVerifiedAt !== null,
      twoFactorEnabled: account.totpEnabledAt !== null,
      createdAt: iso(account.createdAt),
      tenant: { id: tenantId, name: account.tenantName },
      role,
      permissions: [...permissions],
      alerts: account.alerts === 1,
    };
    return c.json({ data });
  },
);
