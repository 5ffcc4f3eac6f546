/** `/auth`: registration, login and the signed-in user. */
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byIp, limit } from "../../platform/http/rate-limit";
import { describeRoute, documented } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { iso } from "../../platform/time";
import { requestCode } from "../email-codes/request";
import { loginOptions } from "../passkeys/webauthn/options";
import { requestOptions } from "../passkeys/webauthn/schemas";
import { tokenPair } from "../sessions/schemas";
import { requireCaptcha, requireLoginCaptcha } from "../turnstile/captcha";
import { loginWithCode } from "./code-login";
import { login } from "./login";
import { loginWithPasskey } from "./passkey-login";
import {
  codeCredentials,
  codeRequest,
  credentials,
  type Profile,
  passkeyLogin,
  profile as profileSchema,
  registration,
  requestedCode,
} from "./schemas";
import { register } from "./signup";

/** While mailed codes are turned off, answers 404, as for a missing route. */
const whereMailCodes = documented(
  createMiddleware<AppEnv>((c, next) => {
    if (c.get("deps").config.mailCode === "off") throw notFound("Route");
    return next();
  }),
  { errors: ["NOT_FOUND"] },
);

export const publicAuthRoutes = new Hono<AppEnv>()
  .post(
    "/register",
    describeRoute("register", "Creates a user with a tenant of their own, or in the tenant of an invitation.", {
      201: dataOf(tokenPair),
      errors: ["CAPTCHA_REQUIRED", "FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN"],
      description: "The first session works at once. Later logins need a verified email.",
    }),
    limit("register", byIp),
    body(registration),
    async (c) => {
      const [deps, input] = [c.get("deps"), c.req.valid("json")];
      await requireCaptcha(deps, "register", input.captchaToken);
      const { tokens } = await register(deps, input, clientContextOf(c));
      return c.json({ data: tokens }, 201);
    },
  )
  .post(
    "/login",
    describeRoute("login", "Opens a session.", {
      200: dataOf(tokenPair),
      errors: [
        "UNAUTHENTICATED",
        "FORBIDDEN",
        "INVALID_TOTP",
        "EMAIL_NOT_VERIFIED",
        "CAPTCHA_REQUIRED",
        "TOTP_REQUIRED",
        "NOT_FOUND",
        "ACCOUNT_LOCKED",
      ],
      description:
        "Ten wrong passwords in a row lock an email for 15 minutes; each further lock lasts twice as long. Where " +
        "Turnstile is set up, a login needs `captchaToken` after three wrong passwords.",
    }),
    limit("login", byIp),
    body(credentials),
    async (c) => {
      const [deps, input] = [c.get("deps"), c.req.valid("json")];
      await requireLoginCaptcha(deps, input.email, input.captchaToken);
      const { tokens } = await login(deps, input, clientContextOf(c));
      return c.json({ data: tokens });
    },
  )
  .post(
    "/code",
    describeRoute("requestCode", "Mails a code to sign in with, if the account exists.", {
      200: dataOf(requestedCode),
      errors: ["CAPTCHA_REQUIRED"],
      description: "An address gets at most three mails in 15 minutes; the answer stays the same after that.",
    }),
    whereMailCodes,
    limit("requestCode", byIp),
    body(codeRequest),
    async (c) => {
      const [deps, { email, captchaToken }] = [c.get("deps"), c.req.valid("json")];
      await requireCaptcha(deps, "code", captchaToken);
      const state = await requestCode(deps, email);
      return c.json({ data: { state } });
    },
  )
  .post(
    "/code/verify",
    describeRoute("loginWithCode", "Opens a session with a mailed code.", {
      200: dataOf(tokenPair),
      errors: ["INVALID_CODE", "FORBIDDEN", "INVALID_TOTP", "TOTP_REQUIRED", "NOT_FOUND", "ACCOUNT_LOCKED"],
      description:
        "A code works once, for 10 minutes, and five wrong ones use it up. It verifies the address. An account " +
        "whose address was unverified loses its password, sessions, API keys, second factor and tenants first, " +
        "because somebody else may have registered it.",
    }),
    whereMailCodes,
    limit("verifyCode", byIp),
    body(codeCredentials),
    async (c) => {
      const { tokens } = await loginWithCode(c.get("deps"), c.req.valid("json"), clientContextOf(c));
      return c.json({ data: tokens });
    },
  )
  .post(
    "/passkeys/login/options",
    describeRoute("startPasskeyLogin", "What a page gives to `navigator.credentials.get` to sign in with a passkey.", {
      200: dataOf(requestOptions),
      description: "The same for everybody: the authenticator knows whose passkeys it has.",
    }),
    limit("login", byIp),
    async (c) => c.json({ data: await loginOptions(c.get("deps")) }),
  )
  .post(
    "/passkeys/login",
    describeRoute("loginWithPasskey", "Opens a session with a passkey, which counts as two factors.", {
      200: dataOf(tokenPair),
      errors: ["UNAUTHENTICATED", "FORBIDDEN", "EMAIL_NOT_VERIFIED", "NOT_FOUND"],
      description: "A locked password does not lock passkeys.",
    }),
    limit("login", byIp),
    body(passkeyLogin),
    async (c) => {
      const { tokens } = await loginWithPasskey(c.get("deps"), c.req.valid("json"), clientContextOf(c));
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
