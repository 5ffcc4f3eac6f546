/** What people do with their own passkeys. */
import { operation } from "../../../base/operation";
import { newPasskey, passkeyChange } from "../../passkeys/schemas";
import { listPasskeysOfUser } from "../../passkeys/store";
import { recentSignIn } from "../../step-up/confirm";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "./own";

const LIMITED = { limit: { rule: "passkeys", per: "user" } } as const;

export const passkeys = {
  start: operation({ ...LIMITED, verb: ({ deps, session }) => startPasskey(deps, session) }),
  add: operation({
    ...LIMITED,
    schema: newPasskey,
    verb: ({ deps, session, input }) => addPasskey(deps, session, input),
  }),
  list: operation({ verb: ({ deps, session }) => listPasskeysOfUser(deps, session.userId) }),
  rename: operation({
    ...LIMITED,
    schema: passkeyChange,
    verb: ({ deps, session, param, input }) => renamePasskey(deps, session, param("id"), input.name),
  }),
  remove: operation({
    ...LIMITED,
    stepUp: recentSignIn,
    verb: ({ deps, session, param }) => removePasskey(deps, session, param("id")),
  }),
};
