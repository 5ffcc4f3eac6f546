/** `/api-keys`: the caller's keys in the caller's tenant. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import { apiKeys } from "./operations";
import { type ApiKey, apiKey, issuedApiKey } from "./schemas";
import type { ApiKeyRow } from "./store";

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

export const apiKeyRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute(
      "createApiKey",
      "Creates a key that acts in this tenant, for its maker or for the tenant itself.",
      () => ({
        201: { body: dataOf(issuedApiKey), id: "/data/id" },
        errors: ["CONFLICT", "FORBIDDEN"],
      }),
    ),
    ...serve(apiKeys.issue, (c, { row, key }) => c.json({ data: { ...view(row), key } }, 201)),
  )
  .get(
    "/",
    describeRoute(
      "listApiKeys",
      "The caller's active keys and, for owners and admins, those of the tenant, newest first.",
      () => ({ 200: dataOf(z.array(apiKey)) }),
    ),
    ...serve(apiKeys.list, (c, rows) => c.json({ data: rows.map(view) })),
  )
  .delete(
    "/:id",
    describeRoute(
      "revokeApiKey",
      "Revokes a key of the caller. Owners and admins may revoke any key of the tenant.",
      () => ({
        errors: ["NOT_FOUND"],
      }),
    ),
    ...serve(apiKeys.revoke, saying("API key revoked")),
  );
