/** `/auth/passkeys`: the passkeys of the signed-in user. */

import * as z from "zod";
import { endpoint, routes } from "../../../base/http/endpoint";
import { saying } from "../../../base/http/operation";
import type { Call } from "../../../base/operation";
import { dataOf } from "../../../base/schemas/schemas";
import { newPasskey, passkeyChange } from "../../passkeys/schemas";
import { listPasskeysOfUser } from "../../passkeys/store";
import { creationOptions, passkey } from "../../passkeys/webauthn/schemas";
import { passkeyView } from "../../passkeys/webauthn/view";
import { recentSignIn, requireVerifiedAddress } from "../../step-up/confirm";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "./own";

const OWN = { openWhenSuspended: true, limit: { rule: "passkeys", per: "user" } } as const;

const requireOwnAddress = ({ deps, session }: Call<unknown>) => requireVerifiedAddress(deps, session);

export const passkeys = {
  start: endpoint({
    id: "startPasskey",
    summary: "What a page gives to `navigator.credentials.create` to make a passkey.",
    description: "Needs a verified address and a sign-in or a step-up within the last ten minutes.",
    ...OWN,
    refuse: requireOwnAddress,
    stepUp: recentSignIn,
    errors: ["EMAIL_NOT_VERIFIED", "CONFLICT"],
    answers: () => ({ 200: dataOf(creationOptions) }),
    verb: ({ deps, session }) => startPasskey(deps, session),
    answer: (c, data) => c.json({ data }),
  }),
  add: endpoint({
    id: "addPasskey",
    summary: "Adds the passkey that the authenticator has made.",
    description:
      "Needs a verified address and a sign-in or a step-up within the last ten minutes. The user is told by mail.",
    ...OWN,
    schema: newPasskey,
    refuse: requireOwnAddress,
    stepUp: recentSignIn,
    errors: ["EMAIL_NOT_VERIFIED", "CONFLICT"],
    answers: () => ({ 201: { body: dataOf(passkey), id: "/data/id" } }),
    verb: ({ deps, session, input }) => addPasskey(deps, session, input),
    answer: (c, data) => c.json({ data }, 201),
  }),
  list: endpoint({
    id: "listPasskeys",
    summary: "The user's passkeys, oldest first.",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(z.array(passkey)) }),
    verb: ({ deps, session }) => listPasskeysOfUser(deps, session.userId),
    answer: (c, rows) => c.json({ data: rows.map(passkeyView) }),
  }),
  rename: endpoint({
    id: "renamePasskey",
    summary: "Renames a passkey of the user.",
    ...OWN,
    schema: passkeyChange,
    errors: ["NOT_FOUND"],
    verb: ({ deps, session, param, input }) => renamePasskey(deps, session, param("id"), input.name),
    answer: saying("Passkey renamed."),
  }),
  remove: endpoint({
    id: "removePasskey",
    summary: "Removes a passkey of the user. Sessions opened with it stay.",
    description:
      "Needs a sign-in or a step-up within the last ten minutes. The user is told by mail. `CONFLICT`: it is the " +
      "last way to sign in.",
    ...OWN,
    stepUp: recentSignIn,
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, session, param }) => removePasskey(deps, session, param("id")),
    answer: saying("Passkey removed."),
  }),
};

export const passkeyRoutes = routes({
  "POST /options": passkeys.start,
  "POST /": passkeys.add,
  "GET /": passkeys.list,
  "PATCH /:id": passkeys.rename,
  "DELETE /:id": passkeys.remove,
});
