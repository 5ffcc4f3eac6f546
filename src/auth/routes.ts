/** `/auth`: register, login, and who am I. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { sessionOnly } from "../http/principal";
import { byIp, clientIp, limit } from "../http/rate-limit";
import { email, givenPassword, name, newPassword, opaqueToken } from "../http/schemas";
import { body } from "../http/validate";
import { type Device, describeDevice } from "../sessions/device";
import { login } from "./login";
import { register } from "./signup";
import { findProfile } from "./store";

const registration = z.object({
  email,
  password: newPassword,
  name: name.optional(),
  tenantName: name.optional(),
  invitationToken: opaqueToken.optional(),
});
const credentials = z.object({
  email,
  password: givenPassword,
  totp: opaqueToken.optional(),
  tenantId: opaqueToken.optional(),
});

function deviceOf(c: Context<AppEnv>): Device {
  const { cf } = c.req.raw as Request<unknown, IncomingRequestCfProperties>;
  return describeDevice({
    userAgent: c.req.header("user-agent"),
    ipAddress: c.req.header("cf-connecting-ip") ? clientIp(c.req.raw) : undefined,
    city: cf?.city,
    country: cf?.country,
  });
}

export const publicAuthRoutes = new Hono<AppEnv>()
  .post("/register", limit("register", byIp), body(registration), async (c) => {
    const tokens = await register(c.get("deps"), c.req.valid("json"), deviceOf(c));
    return c.json({ data: tokens }, 201);
  })
  .post("/login", limit("login", byIp), body(credentials), async (c) => {
    const tokens = await login(c.get("deps"), c.req.valid("json"), deviceOf(c));
    return c.json({ data: tokens });
  });

export const accountRoutes = new Hono<AppEnv>().get("/me", sessionOnly, async (c) => {
  const { tenantId, userId, role, permissions } = c.get("principal");
  const profile = await findProfile(c.get("deps"), tenantId, userId);
  if (!profile) throw notFound("User");
  return c.json({
    data: {
      id: userId,
      email: profile.email,
      name: profile.name,
      emailVerified: profile.emailVerifiedAt !== null,
      twoFactorEnabled: profile.totpEnabledAt !== null,
      createdAt: new Date(profile.createdAt).toISOString(),
      tenant: { id: tenantId, name: profile.tenantName },
      role,
      permissions: [...permissions],
    },
  });
});
