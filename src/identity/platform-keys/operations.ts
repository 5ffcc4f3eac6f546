/** What operators do with platform keys. Each change may come with credentials that confirm the session. */
import { operation } from "../../platform/operation";
import { operatorCredentials } from "../step-up/schemas";
import { endPrevious, issuePlatformKey, replacePlatformKey, revokePlatformKey } from "./issue";
import { keyRotation, newPlatformKey } from "./schemas";
import { listPlatformKeys } from "./store";

const OPERATOR = { permission: "operator", limit: { rule: "operator", per: "user" } } as const;

export const platformKeys = {
  issue: operation({
    ...OPERATOR,
    schema: newPlatformKey,
    verb: ({ deps, session, input }) => issuePlatformKey(deps, session, input),
  }),
  list: operation({ ...OPERATOR, verb: ({ deps }) => listPlatformKeys(deps, deps.now()) }),
  rotate: operation({
    ...OPERATOR,
    schema: keyRotation,
    verb: ({ deps, session, param, input }) => replacePlatformKey(deps, session, param("id"), input),
  }),
  endPrevious: operation({
    ...OPERATOR,
    schema: operatorCredentials,
    verb: ({ deps, session, param, input }) => endPrevious(deps, session, param("id"), input),
  }),
  revoke: operation({
    ...OPERATOR,
    schema: operatorCredentials,
    verb: ({ deps, session, param, input }) => revokePlatformKey(deps, session, param("id"), input),
  }),
};
