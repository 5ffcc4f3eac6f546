/** What people do with their second factor. All share one limit. */
import { operation } from "../../../base/operation";
import { codeBody, factorBody } from "../../two-factor/schemas";
import {
  confirmEnrolment,
  confirmWithRecoveryCodes,
  disableTwoFactor,
  renewRecoveryCodes,
  startEnrolment,
} from "./enrolment";

const OWN = { openWhenSuspended: true, limit: { rule: "twoFactor", per: "user" } } as const;

export const twoFactor = {
  enable: operation({ ...OWN, verb: ({ deps, session }) => startEnrolment(deps, session.userId) }),
  verify: operation({
    ...OWN,
    schema: codeBody,
    verb: ({ deps, session, input }) => confirmEnrolment(deps, session, input.token),
  }),
  /** Only the console shows the first recovery codes with the answer. */
  verifyWithCodes: operation({
    ...OWN,
    schema: codeBody,
    verb: ({ deps, session, input }) => confirmWithRecoveryCodes(deps, session, input.token),
  }),
  disable: operation({
    ...OWN,
    schema: factorBody,
    verb: ({ deps, session, input }) => disableTwoFactor(deps, session, input.token),
  }),
  renewRecoveryCodes: operation({
    ...OWN,
    schema: factorBody,
    verb: ({ deps, session, input }) => renewRecoveryCodes(deps, session, input.token),
  }),
};
