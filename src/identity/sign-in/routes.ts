/** `/auth`: registration and login. */

import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { notFound } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute, documented } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { creationOptions, requestOptions } from "../passkeys/webauthn/schemas";
import { tokenPair } from "../sessions/schemas";
import { signIn } from "./operations";
import { requestedCode } from "./schemas";

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
    describeRoute("register", "Creates a user with a tenant of their own, or in the tenant of an invitation.", () => ({
      201: dataOf(tokenPair),
      errors: ["CAPTCHA_REQUIRED", "FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN"],
      description: "The first session works at once. Later logins need a verified email.",
    })),
    ...serve(signIn.register, (c, { tokens }) => c.json({ data: tokens }, 201)),
  )
  .post(
    "/register/passkey/options",
    describeRoute(
      "startPasskeyRegistration",
      "What a page gives to `navigator.credentials.create` to register with a passkey.",
      () => ({
        200: dataOf(creationOptions),
        errors: ["CAPTCHA_REQUIRED", "FORBIDDEN"],
        description: "Nothing is stored yet. The answer does not tell whether the address is taken.",
      }),
    ),
    ...serve(signIn.startPasskeyRegistration, (c, data) => c.json({ data })),
  )
  .post(
    "/register/passkey",
    describeRoute(
      "registerWithPasskey",
      "Creates a user as `register` does, with a passkey in place of a password.",
      () => ({
        201: dataOf(tokenPair),
        errors: ["FORBIDDEN", "EMAIL_TAKEN", "CONFLICT", "INVALID_TOKEN"],
        description: "The first session works at once. Later logins need a verified email.",
      }),
    ),
    ...serve(signIn.registerWithPasskey, (c, { tokens }) => c.json({ data: tokens }, 201)),
  )
  .post(
    "/login",
    describeRoute("login", "Opens a session.", () => ({
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
    })),
    ...serve(signIn.login, (c, { tokens }) => c.json({ data: tokens })),
  )
  .post(
    "/code",
    describeRoute("requestCode", "Mails a code to sign in with, if the account exists.", () => ({
      200: dataOf(requestedCode),
      errors: ["CAPTCHA_REQUIRED"],
      description: "An address gets at most three mails in 15 minutes; the answer stays the same after that.",
    })),
    whereMailCodes,
    ...serve(signIn.requestCode, (c, state) => c.json({ data: { state } })),
  )
  .post(
    "/code/verify",
    describeRoute("loginWithCode", "Opens a session with a mailed code.", () => ({
      200: dataOf(tokenPair),
      errors: ["INVALID_CODE", "FORBIDDEN", "INVALID_TOTP", "TOTP_REQUIRED", "NOT_FOUND", "ACCOUNT_LOCKED"],
      description:
        "A code works once, for 10 minutes, and five wrong ones use it up. It verifies the address. An account " +
        "whose address was unverified loses its password, sessions, API keys, second factor and tenants first, " +
        "because somebody else may have registered it.",
    })),
    whereMailCodes,
    ...serve(signIn.loginWithCode, (c, { tokens }) => c.json({ data: tokens })),
  )
  .post(
    "/passkeys/login/options",
    describeRoute(
      "startPasskeyLogin",
      "What a page gives to `navigator.credentials.get` to sign in with a passkey.",
      () => ({
        200: dataOf(requestOptions),
        description: "The same for everybody: the authenticator knows whose passkeys it has.",
      }),
    ),
    ...serve(signIn.startPasskeyLogin, (c, data) => c.json({ data })),
  )
  .post(
    "/passkeys/login",
    describeRoute("loginWithPasskey", "Opens a session with a passkey, which counts as two factors.", () => ({
      200: dataOf(tokenPair),
      errors: ["UNAUTHENTICATED", "FORBIDDEN", "EMAIL_NOT_VERIFIED", "NOT_FOUND"],
      description: "A locked password does not lock passkeys.",
    })),
    ...serve(signIn.loginWithPasskey, (c, { tokens }) => c.json({ data: tokens })),
  );
