/** `/auth/step-up`: confirming a session for actions that require it. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { stepUpBody } from "../accounts/step-up-schemas";
import { requestOptions } from "../passkeys/webauthn/schemas";
import { RESULT_COOKIE } from "../providers/providers";
import { confirm, readSignOn, startConfirmation } from "./confirm";

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
    summary:
      "Confirms the session for ten minutes with the password, a passkey, a code, or a sign-on of the tenant's own.",
    description:
      "Endpoints that answer `STEP_UP_REQUIRED` need this, or a sign-in, within the last ten minutes. An account " +
      "with a second factor or a passkey needs one of these: `details` names the fields of which one is wanted. A " +
      "session that a sign-on has opened is confirmed by another one, which begins at the address in `details`; its " +
      "code works once, within 60 seconds, in the browser that has signed on: send it with its cookies.",
    inConfinedSession: "open",
    ...OWN,
    takesCookiesAcrossOrigins: true,
    schema: stepUpBody,
    errors: [
      "STEP_UP_REQUIRED",
      "WRONG_PASSWORD",
      "INVALID_CODE",
      "INVALID_TOKEN",
      "INVALID_TOTP",
      "TWO_FACTOR_NOT_ENABLED",
      "ACCOUNT_LOCKED",
    ],
    verb: async ({ deps, session, input: { signOn, ...given }, cookies }) => {
      const proof = signOn === undefined ? undefined : await readSignOn(deps, signOn, cookies.get(RESULT_COOKIE));
      await confirm(deps, session, { ...given, signOn: proof });
      if (proof) cookies.delete(RESULT_COOKIE);
    },
    answer: saying("Confirmed."),
  }),
};

export const stepUpRoutes = routes({
  "POST /step-up/options": stepUp.start,
  "POST /step-up": stepUp.confirm,
});
