/** `/auth/2fa`: the second factor of the signed-in user. All routes share one rate limit. */

import { endpoint, routes } from "../../../base/http/endpoint";
import { saying } from "../../../base/http/operation";
import { operation } from "../../../base/operation";
import { dataOf } from "../../../base/schemas/schemas";
import { codeBody, enrolment, factorBody, recoveryCodes as recoveryCodesSchema } from "../../two-factor/schemas";
import {
  confirmEnrolment,
  confirmWithRecoveryCodes,
  disableTwoFactor,
  renewRecoveryCodes,
  startEnrolment,
} from "./enrolment";

const OWN = { openWhenSuspended: true, limit: { rule: "twoFactor", per: "user" } } as const;

export const twoFactor = {
  enable: endpoint({
    id: "enableTwoFactor",
    summary: "Starts enrolment. Two-factor authentication is off until a code confirms it.",
    ...OWN,
    errors: ["TWO_FACTOR_ALREADY_ENABLED"],
    answers: () => ({ 200: dataOf(enrolment) }),
    verb: ({ deps, session }) => startEnrolment(deps, session.userId),
    answer: (c, data) => c.json({ data }),
  }),
  verify: endpoint({
    id: "verifyTwoFactor",
    summary: "Confirms enrolment with a code from the authenticator app, and ends the user's other sessions.",
    ...OWN,
    schema: codeBody,
    errors: ["TWO_FACTOR_NOT_STARTED", "TWO_FACTOR_ALREADY_ENABLED", "INVALID_TOTP"],
    verb: ({ deps, session, input }) => confirmEnrolment(deps, session, input.token),
    answer: saying("2FA enabled successfully."),
  }),
  /** Only the console shows the first recovery codes with the answer. */
  verifyWithCodes: operation({
    ...OWN,
    schema: codeBody,
    verb: ({ deps, session, input }) => confirmWithRecoveryCodes(deps, session, input.token),
  }),
  disable: endpoint({
    id: "disableTwoFactor",
    summary: "Turns two-factor authentication off.",
    ...OWN,
    schema: factorBody,
    errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
    verb: ({ deps, session, input }) => disableTwoFactor(deps, session, input.token),
    answer: saying("2FA disabled successfully."),
  }),
  renewRecoveryCodes: endpoint({
    id: "renewRecoveryCodes",
    summary: "Replaces the recovery codes and returns the new ones, which are not shown again.",
    ...OWN,
    schema: factorBody,
    errors: ["TWO_FACTOR_NOT_ENABLED", "INVALID_TOTP", "ACCOUNT_LOCKED"],
    answers: () => ({ 200: dataOf(recoveryCodesSchema) }),
    verb: ({ deps, session, input }) => renewRecoveryCodes(deps, session, input.token),
    answer: (c, recoveryCodes) => c.json({ data: { recoveryCodes } }),
  }),
};

export const twoFactorRoutes = routes({
  "POST /enable": twoFactor.enable,
  "POST /verify": twoFactor.verify,
  "POST /disable": twoFactor.disable,
  "POST /recovery-codes": twoFactor.renewRecoveryCodes,
});
