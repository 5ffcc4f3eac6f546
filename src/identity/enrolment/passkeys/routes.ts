/** `/auth/passkeys`: the passkeys of the signed-in user. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../../base/http/env";
import { saying, serve } from "../../../base/http/operation";
import { describeRoute } from "../../../base/http/route-docs";
import { dataOf } from "../../../base/schemas/schemas";
import { creationOptions, passkey } from "../../passkeys/webauthn/schemas";
import { passkeyView } from "../../passkeys/webauthn/view";
import { passkeys } from "./operations";

export const passkeyRoutes = new Hono<AppEnv>()
  .post(
    "/options",
    describeRoute("startPasskey", "What a page gives to `navigator.credentials.create` to make a passkey.", () => ({
      200: dataOf(creationOptions),
      errors: ["EMAIL_NOT_VERIFIED", "STEP_UP_REQUIRED", "CONFLICT"],
      description: "Needs a verified address and a sign-in or a step-up within the last ten minutes.",
    })),
    ...serve(passkeys.start, (c, data) => c.json({ data })),
  )
  .post(
    "/",
    describeRoute("addPasskey", "Adds the passkey that the authenticator has made.", () => ({
      201: { body: dataOf(passkey), id: "/data/id" },
      errors: ["EMAIL_NOT_VERIFIED", "STEP_UP_REQUIRED", "CONFLICT"],
      description:
        "Needs a verified address and a sign-in or a step-up within the last ten minutes. The user is told by mail.",
    })),
    ...serve(passkeys.add, (c, data) => c.json({ data }, 201)),
  )
  .get(
    "/",
    describeRoute("listPasskeys", "The user's passkeys, oldest first.", () => ({ 200: dataOf(z.array(passkey)) })),
    ...serve(passkeys.list, (c, rows) => c.json({ data: rows.map(passkeyView) })),
  )
  .patch(
    "/:id",
    describeRoute("renamePasskey", "Renames a passkey of the user.", () => ({
      errors: ["NOT_FOUND"],
    })),
    ...serve(passkeys.rename, saying("Passkey renamed.")),
  )
  .delete(
    "/:id",
    describeRoute("removePasskey", "Removes a passkey of the user. Sessions opened with it stay.", () => ({
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "Needs a sign-in or a step-up within the last ten minutes. The user is told by mail. `CONFLICT`: it is the " +
        "last way to sign in.",
    })),
    ...serve(passkeys.remove, saying("Passkey removed.")),
  );
