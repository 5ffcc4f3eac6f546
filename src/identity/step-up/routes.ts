/** `/auth/step-up`: confirming a session for actions that require it. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { requestOptions } from "../passkeys/webauthn/schemas";
import { stepUp } from "./operations";

export const stepUpRoutes = new Hono<AppEnv>()
  .post(
    "/step-up/options",
    describeRoute(
      "startStepUp",
      "What a page gives to `navigator.credentials.get` to confirm the session with a passkey.",
      () => ({
        200: dataOf(requestOptions),
        errors: ["CONFLICT"],
      }),
    ),
    ...serve(stepUp.start, (c, data) => c.json({ data })),
  )
  .post(
    "/step-up",
    describeRoute(
      "stepUp",
      "Confirms the session for ten minutes with the password, a passkey, a two-factor or a mailed code.",
      () => ({
        errors: [
          "STEP_UP_REQUIRED",
          "WRONG_PASSWORD",
          "INVALID_CODE",
          "INVALID_TOTP",
          "TWO_FACTOR_NOT_ENABLED",
          "ACCOUNT_LOCKED",
        ],
        description:
          "Endpoints that answer `STEP_UP_REQUIRED` need this, or a sign-in, within the last ten minutes. An account " +
          "with a second factor or a passkey needs one of these: `details` names the fields of which one is wanted.",
      }),
    ),
    ...serve(stepUp.confirm, saying("Confirmed.")),
  );
