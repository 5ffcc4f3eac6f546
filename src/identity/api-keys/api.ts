/** `/api-keys`: the caller's keys in the caller's tenant. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { issueApiKey } from "./issue";
import { revokedKey } from "./made";
import { keysSeenBy, revokeApiKey } from "./revoke";
import { type ApiKey, apiKey, issuedApiKey, newApiKey } from "./schemas";
import { type ApiKeyRow, listApiKeys } from "./store";

const view = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  createdAt: iso(row.createdAt),
  lastUsedAt: iso(row.lastUsedAt),
  expiresAt: iso(row.expiresAt),
  ...(row.owner === "tenant" ? { owner: row.owner } : {}),
});

export const apiKeys = {
  issue: endpoint({
    id: "createApiKey",
    summary: "Creates a key that acts in this tenant, for its maker or for the tenant itself.",
    inConfinedSession: "open",
    limit: { rule: "createApiKey", per: "user" },
    schema: newApiKey,
    errors: ["CONFLICT", "FORBIDDEN"],
    answers: () => ({ 201: { body: dataOf(issuedApiKey), id: "/data/id" } }),
    verb: ({ deps, principal, input }) => issueApiKey(deps, principal, input),
    answer: (c, { row, key }) => c.json({ data: { ...view(row), key } }, 201),
  }),
  list: endpoint({
    id: "listApiKeys",
    summary: "The caller's active keys and, for owners and admins, those of the tenant, newest first.",
    inConfinedSession: "open",
    answers: () => ({ 200: dataOf(z.array(apiKey)) }),
    verb: ({ deps, principal }) => listApiKeys(deps, keysSeenBy(principal), deps.now()),
    answer: (c, rows) => c.json({ data: rows.map(view) }),
  }),
  revoke: endpoint({
    id: "revokeApiKey",
    summary: "Revokes a key of the caller. Owners and admins may revoke any key of the tenant.",
    inConfinedSession: "open",
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: revokedKey }),
    verb: ({ deps, principal, param }) => revokeApiKey(deps, principal, param("id")),
    answer: (c, made) => c.json({ message: "API key revoked" as const, ...(made.length > 0 ? { made } : {}) }),
  }),
};

export const apiKeyRoutes = routes({
  "POST /": apiKeys.issue,
  "GET /": apiKeys.list,
  "DELETE /:id": apiKeys.revoke,
});
