/** `/auth/2fa`: the second factor of the signed-in user. All routes share one rate limit. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { confirmEnrolment, disableTwoFactor, renewRecoveryCodes, startEnrolment } from "./enrolment";
import { codeBody, enrolment, factorBody, recoveryCodes as recoveryCodesSchema } from "./schemas";

const limited = limit("twoFactor", byUser);

export const twoFactorRoutes = new Hono<AppEnv>()
  .post(
    "/enable",
    describeRoute("enableTwoFactor", "Starts enrolment. Two-factor authentication is off until a code confirms it.", {
      200: dataOf(enrolment),
      errors: ["TWO_FACTOR_ALREADY_ENABLED"],
    }),
    sessionOnly,
    limited,
    async (c) => {
      return c.json({ data: await startEnrolment(c.get("deps"), c.get("principal").userId) });
    },
  )
  .post(
    "/verify",
    describeRoute(
      "verifyTwoFactor",
      "Confirms enrolment with a code from the authenticator app, and ends the user's other sessions.",
      {
        200: says("2FA enabled successfully."),
        errors: ["TWO_FACTOR_NOT_STARTED", "TWO_FACTOR_ALREADY_ENABLED", "INVALID_TOTP"],
      },
    ),
    sessionOnly,
    limited,
    body(codeBody),
    async (c) => {
      await confirmEnrolment(c.get("deps"), sessionOf(c), c.req.valid("json").token);
      return c.json({ message: "2FA enabled successfully." });
    },
  )
  .post(
    "/disable",
    describeRoute("disableTwoFactor", "Turns two-factor authentication off.", {
      200: says("2FA disabled successfully."),
      errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
    }),
    sessionOnly,
    limited,
    body(factorBody),
    async (c) => {
      await disableTwoFactor(c.get("deps"), sessionOf(c), c.req.valid("json").token);
      return c.json({ message: "2FA disabled successfully." });
    },
  )
  .post(
    "/recovery-codes",
    describeRoute(
      "renewRecoveryCodes",
      "Replaces the recovery codes and returns the new ones, which are not shown again.",
      {
        200: dataOf(recoveryCodesSchema),
        errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
      },
    ),
    sessionOnly,
    limited,
    body(factorBody),
    async (c) => {
      const recoveryCodes = await renewRecoveryCodes(c.get("deps"), sessionOf(c), c.req.valid("json").token);
      return c.json({ data: { recoveryCodes } });
    },
  );
