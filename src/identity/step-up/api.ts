/** `/auth/step-up`: confirming a session for actions that require it. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { stepUpBody } from "../accounts/step-up-schemas";
import { requestOptions } from "../passkeys/webauthn/schemas";
import { confirm, startConfirmation } from "./confirm";

const OWN = { openWhenSuspended: true, limit: { rule: "stepUp", per: "user" } } as const;

export const stepUp = {
  start: endpoint({
    id: "startStepUp",
    summary: "What a page gives to `navigator.credentials.get` to confirm the session with a passkey.",
    inConfinedSession: "open",
    ...OWN,
    errors: ["CONFLICT"],
    answers: () => ({ 200: dataOf(requestOptions) }),
    verb: ({ deps, session }) => startConfirmation(deps, session),
    answer: (c, data) => c.json({ data }),
  }),
  confirm: endpoint({
    id: "stepUp",
    summary: "Confirms the session for ten minutes with the password, a passkey, a two-factor or a mailed code.",
    description:
      "Endpoints that answer `STEP_UP_REQUIRED` need this, or a sign-in, within the last ten minutes. An account " +
      "with a second factor or a passkey needs one of these: `details` names the fields of which one is wanted.",
    inConfinedSession: "open",
    ...OWN,
    schema: stepUpBody,
    errors: [
      "STEP_UP_REQUIRED",
      "WRONG_PASSWORD",
      "INVALID_CODE",
      "INVALID_TOTP",
      "TWO_FACTOR_NOT_ENABLED",
      "ACCOUNT_LOCKED",
    ],
    verb: ({ deps, session, input }) => confirm(deps, session, input),
    answer: saying("Confirmed."),
  }),
};

export const stepUpRoutes = routes({
  "POST /step-up/options": stepUp.start,
  "POST /step-up": stepUp.confirm,
});
