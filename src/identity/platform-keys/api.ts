/** `/platform/keys`: the credentials of the product itself, which operators manage. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { CONFIRMED, operatorCredentials } from "../accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../step-up/confirm";
import { endPrevious, issuePlatformKey, replacePlatformKey, revokePlatformKey } from "./issue";
import { issuedPlatformKey, keyRotation, newPlatformKey, platformKey } from "./schemas";
import { listPlatformKeys } from "./store";
import { platformKeyView } from "./view";

const OPERATOR = {
  permission: "operator",
  limit: { rule: "operator", per: "user" },
  forbidsPlatformKeys: "Only operators manage platform keys.",
} as const;
const CHANGE = { ...OPERATOR, stepUp: recentSignInOrCredentials } as const;

export const platformKeys = {
  issue: endpoint({
    id: "createPlatformKey",
    summary: "Creates a key with which the product itself calls this service.",
    description: `Its maker is mailed. The key outlives its maker's account. ${CONFIRMED}`,
    ...CHANGE,
    schema: newPlatformKey,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(issuedPlatformKey), id: "/data/id" } }),
    verb: ({ deps, session, input }) => issuePlatformKey(deps, session, input),
    answer: (c, { row, key }) => c.json({ data: { ...platformKeyView(row), key } }, 201),
  }),
  list: endpoint({
    id: "listPlatformKeys",
    summary: "The active platform keys, newest first.",
    ...OPERATOR,
    answers: () => ({ 200: dataOf(z.array(platformKey)) }),
    verb: ({ deps }) => listPlatformKeys(deps, deps.now()),
    answer: (c, keys) => c.json({ data: keys.map(platformKeyView) }),
  }),
  rotate: endpoint({
    id: "rotatePlatformKey",
    summary: "Replaces a platform key. The former one works for a day longer by default.",
    description: `409: a former key still works; end it first. ${CONFIRMED}`,
    ...CHANGE,
    schema: keyRotation,
    errors: ["CONFLICT"],
    answers: () => ({ 200: dataOf(issuedPlatformKey) }),
    verb: ({ deps, session, param, input }) => replacePlatformKey(deps, session, param("id"), input),
    answer: (c, { row, key }) => c.json({ data: { ...platformKeyView(row), key } }),
  }),
  endPrevious: endpoint({
    id: "endPreviousPlatformKey",
    summary: "Ends the former key at once, if one still works.",
    description: CONFIRMED,
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => endPrevious(deps, session, param("id")),
    answer: saying("Former key ended."),
  }),
  revoke: endpoint({
    id: "revokePlatformKey",
    summary: "Revokes a platform key at once, and its former one.",
    description: CONFIRMED,
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => revokePlatformKey(deps, session, param("id")),
    answer: saying("Platform key revoked."),
  }),
};

export const platformKeyRoutes = routes({
  "POST /": platformKeys.issue,
  "GET /": platformKeys.list,
  "POST /:id/rotate": platformKeys.rotate,
  "DELETE /:id/previous": platformKeys.endPrevious,
  "DELETE /:id": platformKeys.revoke,
});
