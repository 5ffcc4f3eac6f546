/** `/auth`: email verification, password reset and password change, and a lost second factor. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { originOf } from "../../platform/http/origin";
import { sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byIp, byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { says } from "../../platform/schemas/schemas";
import { requireCaptcha } from "../turnstile/captcha";
import { resendVerification, verifyEmail } from "./email-verification";
import { changePassword, forgotPassword, resetPassword } from "./password";
import { REVERT_MESSAGES, reportNotMe } from "./revert";
import { changeBody, factorRemoval, forgotBody, notMeBody, resetBody, verificationBody } from "./schemas";
import { removeLostFactor } from "./two-factor-removal";

const FACTOR_REMOVED = "Two-factor authentication is off. Sign in and set it up again.";
const RESET_QUEUED = "If an account exists for that email, a reset link has been sent.";

export const publicRecoveryRoutes = new Hono<AppEnv>()
  .post(
    "/verify-email",
    describeRoute("verifyEmail", "Verifies an email address with a mailed token.", {
      200: says("Email verified successfully.", "Email already verified."),
      errors: ["INVALID_TOKEN"],
    }),
    limit("verifyEmail", byIp),
    body(verificationBody),
    async (c) => {
      return c.json({ message: await verifyEmail(c.get("deps"), c.req.valid("json").token, originOf(c)) });
    },
  )
  .post(
    "/not-me",
    describeRoute(
      "reportNotMe",
      "Undoes what a mail reports, with the token of its link. With a verification token, reclaims an account " +
        "that somebody else registered.",
      {
        200: says(REVERT_MESSAGES.undone, REVERT_MESSAGES.apiKeys, REVERT_MESSAGES.reclaimed),
        errors: ["INVALID_TOKEN"],
        description: "The links work once, within 72 hours.",
      },
    ),
    limit("verifyEmail", byIp),
    body(notMeBody),
    async (c) => {
      return c.json({ message: await reportNotMe(c.get("deps"), c.req.valid("json").token, originOf(c)) });
    },
  )
  .post(
    "/2fa/remove",
    describeRoute("removeLostTwoFactor", "Turns two-factor authentication off with the token of a mailed link.", {
      200: says(FACTOR_REMOVED),
      errors: ["INVALID_TOKEN"],
      description:
        "For somebody who has lost the authenticator app and the recovery codes: an operator of the service has " +
        "the link mailed. It works once, within 24 hours, and ends all sessions.",
    }),
    limit("verifyEmail", byIp),
    body(factorRemoval),
    async (c) => {
      await removeLostFactor(c.get("deps"), c.req.valid("json").token, originOf(c));
      return c.json({ message: FACTOR_REMOVED });
    },
  )
  .post(
    "/forgot-password",
    describeRoute("forgotPassword", "Mails a reset link if the account exists.", {
      200: says(RESET_QUEUED),
      errors: ["CAPTCHA_REQUIRED"],
    }),
    limit("forgotPassword", byIp),
    body(forgotBody),
    async (c) => {
      const [deps, { email, captchaToken }] = [c.get("deps"), c.req.valid("json")];
      await requireCaptcha(deps, "forgot-password", captchaToken);
      await forgotPassword(deps, email, originOf(c));
      return c.json({ message: RESET_QUEUED });
    },
  )
  .post(
    "/reset-password",
    describeRoute("resetPassword", "Sets a new password with a mailed token and ends every session of the user.", {
      200: says("Password reset successfully."),
      errors: ["INVALID_TOKEN", "TOKEN_EXPIRED"],
    }),
    limit("resetPassword", byIp),
    body(resetBody),
    async (c) => {
      const { token, newPassword: password } = c.req.valid("json");
      await resetPassword(c.get("deps"), token, password, originOf(c));
      return c.json({ message: "Password reset successfully." });
    },
  );

export const passwordRoutes = new Hono<AppEnv>()
  .post(
    "/resend-verification",
    describeRoute("resendVerification", "Mails the verification link again.", {
      200: says("Verification email sent.", "Email already verified."),
    }),
    sessionOnly,
    limit("resendVerification", byUser),
    async (c) => {
      return c.json({ message: await resendVerification(c.get("deps"), c.get("principal").userId) });
    },
  )
  .post(
    "/change-password",
    describeRoute("changePassword", "Changes the password and ends every other session of the user.", {
      200: says("Password changed successfully."),
      errors: ["WRONG_PASSWORD", "ACCOUNT_LOCKED", "SERVICE_UNAVAILABLE"],
    }),
    sessionOnly,
    limit("changePassword", byUser),
    body(changeBody),
    async (c) => {
      await changePassword(c.get("deps"), sessionOf(c), c.req.valid("json"));
      return c.json({ message: "Password changed successfully." });
    },
  );
