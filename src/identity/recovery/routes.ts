/** `/auth`: email verification, password reset and password change, and a lost second factor. */

import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { originOf } from "../../base/http/origin";
import { describeRoute } from "../../base/http/route-docs";
import { says } from "../../base/schemas/schemas";
import { authenticateSession } from "../sessions/authenticate";
import { recovery } from "./operations";
import { REVERT_MESSAGES } from "./revert";

const FACTOR_REMOVED = "Two-factor authentication is off. Sign in and set it up again.";
const RESET_QUEUED = "If an account exists for that email, a reset link has been sent.";

/** Notes whose access token comes with a request that needs none. */
const noteHolder = createMiddleware<AppEnv>(async (c, next) => {
  const token = c.req.header("authorization")?.match(/^Bearer +([\w.-]{1,4000})$/i)?.[1];
  const holder = token ? await authenticateSession(c.get("deps"), token, originOf(c)) : null;
  if (holder) c.set("principal", holder);
  await next();
});

export const publicRecoveryRoutes = new Hono<AppEnv>()
  .post(
    "/verify-email",
    describeRoute("verifyEmail", "Verifies an email address with a mailed token.", () => ({
      200: says("Email verified successfully.", "Email already verified."),
      errors: ["INVALID_TOKEN"],
      description:
        "If a sign-in with a provider or a passkey created the account, that is removed from it, unless the request " +
        "has an access token of the account: somebody else may have entered the address. A passkey stays where " +
        "neither a password nor a mailed code opens accounts.",
    })),
    noteHolder,
    ...serve(recovery.verifyEmail, (c, message) => c.json({ message })),
  )
  .post(
    "/not-me",
    describeRoute(
      "reportNotMe",
      "Undoes what a mail reports, with the token of its link. With a verification token, reclaims an account " +
        "that somebody else registered.",
      () => ({
        200: says(
          REVERT_MESSAGES.undone,
          REVERT_MESSAGES.undoneWithoutFactor,
          REVERT_MESSAGES.apiKeys,
          REVERT_MESSAGES.reclaimed,
        ),
        errors: ["INVALID_TOKEN"],
        description:
          "The links work once, within 72 hours. All links but those that revoke API keys also undo what the account " +
          "has done in its tenants since: invitations, members who joined by them, roles, subscriptions, API keys of " +
          "tenants, sources and platform keys. An email lists it.",
      }),
    ),
    ...serve(recovery.reportNotMe, (c, message) => c.json({ message })),
  )
  .post(
    "/2fa/remove",
    describeRoute(
      "removeLostTwoFactor",
      "Turns two-factor authentication off with the token of a mailed link.",
      () => ({
        errors: ["INVALID_TOKEN"],
        description:
          "For somebody who has lost the authenticator app and the recovery codes: an operator of the service has " +
          "the link mailed. It works once, within 24 hours, and ends all sessions.",
      }),
    ),
    ...serve(recovery.removeLostFactor, saying(FACTOR_REMOVED)),
  )
  .post(
    "/forgot-password",
    describeRoute("forgotPassword", "Mails a reset link if the account exists.", () => ({
      errors: ["CAPTCHA_REQUIRED"],
    })),
    ...serve(recovery.forgotPassword, saying(RESET_QUEUED)),
  )
  .post(
    "/reset-password",
    describeRoute(
      "resetPassword",
      "Sets a new password with a mailed token and ends every session of the user.",
      () => ({
        errors: ["INVALID_TOKEN", "TOKEN_EXPIRED"],
        description:
          "API keys, passkeys and sign-ins with providers from before the address was verified end too, because " +
          "somebody else may have added them. The user is told by mail what has ended and what still works.",
      }),
    ),
    ...serve(recovery.resetPassword, saying("Password reset successfully.")),
  );

export const passwordRoutes = new Hono<AppEnv>()
  .post(
    "/resend-verification",
    describeRoute("resendVerification", "Mails the verification link again.", () => ({
      200: says("Verification email sent.", "Email already verified."),
    })),
    ...serve(recovery.resendVerification, (c, message) => c.json({ message })),
  )
  .post(
    "/change-password",
    describeRoute("changePassword", "Changes the password and ends every other session of the user.", () => ({
      errors: ["WRONG_PASSWORD", "ACCOUNT_LOCKED", "SERVICE_UNAVAILABLE"],
    })),
    ...serve(recovery.changePassword, saying("Password changed successfully.")),
  );
