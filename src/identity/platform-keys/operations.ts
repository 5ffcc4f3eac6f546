/** What operators do with platform keys. */
import { operation } from "../../base/operation";
import { operatorCredentials } from "../accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../step-up/confirm";
import { endPrevious, issuePlatformKey, replacePlatformKey, revokePlatformKey } from "./issue";
import { keyRotation, newPlatformKey } from "./schemas";
import { listPlatformKeys } from "./store";

const OPERATOR = {
  permission: "operator",
  limit: { rule: "operator", per: "user" },
  forbidsPlatformKeys: "Only operators manage platform keys.",
} as const;
const CHANGE = { ...OPERATOR, stepUp: recentSignInOrCredentials } as const;

export const platformKeys = {
  issue: operation({
    ...CHANGE,
    schema: newPlatformKey,
    verb: ({ deps, session, input }) => issuePlatformKey(deps, session, input),
  }),
  list: operation({ ...OPERATOR, verb: ({ deps }) => listPlatformKeys(deps, deps.now()) }),
  rotate: operation({
    ...CHANGE,
    schema: keyRotation,
    verb: ({ deps, session, param, input }) => replacePlatformKey(deps, session, param("id"), input),
  }),
  endPrevious: operation({
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => endPrevious(deps, session, param("id")),
  }),
  revoke: operation({
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => revokePlatformKey(deps, session, param("id")),
  }),
};
