/** How people confirm their session. */
import { operation } from "../../base/operation";
import { stepUpBody } from "../accounts/step-up-schemas";
import { confirm, startConfirmation } from "./confirm";

const OWN = { openWhenSuspended: true, limit: { rule: "stepUp", per: "user" } } as const;

export const stepUp = {
  start: operation({ ...OWN, verb: ({ deps, session }) => startConfirmation(deps, session) }),
  confirm: operation({
    ...OWN,
    schema: stepUpBody,
    verb: ({ deps, session, input }) => confirm(deps, session, input),
  }),
};
