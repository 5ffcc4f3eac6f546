/** `/auth/2fa`: the second factor of the signed-in user. All routes share one rate limit. */

import { Hono } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { saying, serve } from "../../../base/http/operation";
import { describeRoute } from "../../../base/http/route-docs";
import { dataOf } from "../../../base/schemas/schemas";
import { enrolment, recoveryCodes as recoveryCodesSchema } from "../../two-factor/schemas";
import { twoFactor } from "./operations";

export const twoFactorRoutes = new Hono<AppEnv>()
  .post(
    "/enable",
    describeRoute(
      "enableTwoFactor",
      "Starts enrolment. Two-factor authentication is off until a code confirms it.",
      () => ({
        200: dataOf(enrolment),
        errors: ["TWO_FACTOR_ALREADY_ENABLED"],
      }),
    ),
    ...serve(twoFactor.enable, (c, data) => c.json({ data })),
  )
  .post(
    "/verify",
    describeRoute(
      "verifyTwoFactor",
      "Confirms enrolment with a code from the authenticator app, and ends the user's other sessions.",
      () => ({
        errors: ["TWO_FACTOR_NOT_STARTED", "TWO_FACTOR_ALREADY_ENABLED", "INVALID_TOTP"],
      }),
    ),
    ...serve(twoFactor.verify, saying("2FA enabled successfully.")),
  )
  .post(
    "/disable",
    describeRoute("disableTwoFactor", "Turns two-factor authentication off.", () => ({
      errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
    })),
    ...serve(twoFactor.disable, saying("2FA disabled successfully.")),
  )
  .post(
    "/recovery-codes",
    describeRoute(
      "renewRecoveryCodes",
      "Replaces the recovery codes and returns the new ones, which are not shown again.",
      () => ({
        200: dataOf(recoveryCodesSchema),
        errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
      }),
    ),
    ...serve(twoFactor.renewRecoveryCodes, (c, recoveryCodes) => c.json({ data: { recoveryCodes } })),
  );
