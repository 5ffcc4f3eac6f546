/** `/tenant/connections/:id/scim-tokens`: with what a tenant's directory calls. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { changerBy, changerOf, reached, tenantOf } from "../../sign-on/connections/changer";
import { BY_OWNERS, ofConnection, READ, READ_BY_KEY, WRITE, WRITE_BY_KEY } from "../../sign-on/rights";
import { madeScimToken, newScimToken, scimToken } from "./schemas";
import { makeToken, revokeToken, tokensOf } from "./tokens";

const TEXTS = {
  create: "Makes a token with which the tenant's directory calls the SCIM server of a connection.",
  createMore:
    "It is shown once. A connection has two at most: make the new one, enter it at the directory, end the old.",
  list: "The tokens of a connection's directory, newest first.",
  revoke: "Ends a token of a connection's directory at once.",
} as const;

export const tokens = {
  create: endpoint({
    id: "createScimToken",
    summary: TEXTS.create,
    description: `${TEXTS.createMore} ${BY_OWNERS}`,
    ...WRITE,
    schema: newScimToken,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 201: { body: dataOf(madeScimToken), id: "/data/id" } }),
    inSetup: "directory",
    verb: ({ deps, principal, param, input }) =>
      makeToken(deps, changerOf(principal), reached(principal, param("id")), input),
    answer: (c, data) => c.json({ data }, 201),
  }),
  list: endpoint({
    id: "listScimTokens",
    summary: TEXTS.list,
    ...READ,
    inSetup: "directory",
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(z.array(scimToken)) }),
    verb: ({ deps, principal, param }) => tokensOf(deps, principal.tenantId, reached(principal, param("id"))),
    answer: (c, data) => c.json({ data }),
  }),
  revoke: endpoint({
    id: "revokeScimToken",
    summary: TEXTS.revoke,
    description: BY_OWNERS,
    ...WRITE,
    errors: ["NOT_FOUND"],
    inSetup: "directory",
    verb: ({ deps, principal, param }) =>
      revokeToken(deps, changerOf(principal), reached(principal, param("id")), param("token")),
    answer: saying("SCIM token revoked."),
  }),
  createByKey: endpoint({
    id: "createPlatformScimToken",
    summary: TEXTS.create,
    description: TEXTS.createMore,
    ...WRITE_BY_KEY,
    schema: newScimToken,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 201: { body: dataOf(madeScimToken), id: "/data/id" }, path: ofConnection }),
    verb: async ({ deps, platformKey, param, input }) =>
      makeToken(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), input),
    answer: (c, data) => c.json({ data }, 201),
  }),
  listByKey: endpoint({
    id: "listPlatformScimTokens",
    summary: TEXTS.list,
    ...READ_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(z.array(scimToken)), path: ofConnection }),
    verb: async ({ deps, platformKey, param }) =>
      tokensOf(deps, await tenantOf(deps, platformKey, param("tenant")), param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  revokeByKey: endpoint({
    id: "revokePlatformScimToken",
    summary: TEXTS.revoke,
    ...WRITE_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ path: ofConnection.extend({ token: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      revokeToken(deps, await changerBy(deps, platformKey, param("tenant")), param("id"), param("token")),
    answer: saying("SCIM token revoked."),
  }),
};

export const scimTokenRoutes = routes({
  "POST /:id/scim-tokens": tokens.create,
  "GET /:id/scim-tokens": tokens.list,
  "DELETE /:id/scim-tokens/:token": tokens.revoke,
});

export const platformScimTokenRoutes = routes({
  "POST /:tenant/connections/:id/scim-tokens": tokens.createByKey,
  "GET /:tenant/connections/:id/scim-tokens": tokens.listByKey,
  "DELETE /:tenant/connections/:id/scim-tokens/:token": tokens.revokeByKey,
});
