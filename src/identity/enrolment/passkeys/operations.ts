/** What people do with their own passkeys. */
import { type Call, operation } from "../../../base/operation";
import { newPasskey, passkeyChange } from "../../passkeys/schemas";
import { listPasskeysOfUser } from "../../passkeys/store";
import { recentSignIn, requireVerifiedAddress } from "../../step-up/confirm";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "./own";

const OWN = { openWhenSuspended: true, limit: { rule: "passkeys", per: "user" } } as const;

const requireOwnAddress = ({ deps, session }: Call<unknown>) => requireVerifiedAddress(deps, session);

export const passkeys = {
  start: operation({
    ...OWN,
    refuse: requireOwnAddress,
    stepUp: recentSignIn,
    verb: ({ deps, session }) => startPasskey(deps, session),
  }),
  add: operation({
    ...OWN,
    schema: newPasskey,
    refuse: requireOwnAddress,
    stepUp: recentSignIn,
    verb: ({ deps, session, input }) => addPasskey(deps, session, input),
  }),
  list: operation({ openWhenSuspended: true, verb: ({ deps, session }) => listPasskeysOfUser(deps, session.userId) }),
  rename: operation({
    ...OWN,
    schema: passkeyChange,
    verb: ({ deps, session, param, input }) => renamePasskey(deps, session, param("id"), input.name),
  }),
  remove: operation({
    ...OWN,
    stepUp: recentSignIn,
    verb: ({ deps, session, param }) => removePasskey(deps, session, param("id")),
  }),
};
