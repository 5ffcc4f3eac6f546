/** `/api-keys`: the caller's keys in the caller's tenant. */
import { Hono } from "hono";
import { z } from "zod";
import { notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { sessionOnly } from "../http/principal";
import { name } from "../http/schemas";
import { body } from "../http/validate";
import { PERMISSIONS } from "../tenants/roles";
import { issueApiKey } from "./issue";
import { type ApiKeyRow, listApiKeys, revokeApiKey } from "./store";

const keyBody = z.object({
  name,
  scopes: z
    .array(z.enum(PERMISSIONS))
    .min(1)
    .max(100)
    .transform((scopes) => [...new Set(scopes)]),
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .refine((timeMs) => timeMs > Date.now(), "Must lie in the future")
    .nullish()
    .transform((timeMs) => timeMs ?? undefined),
});

const time = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString());

const view = (row: ApiKeyRow) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  createdAt: time(row.createdAt),
  lastUsedAt: time(row.lastUsedAt),
  expiresAt: time(row.expiresAt),
});

export const apiKeyRoutes = new Hono<AppEnv>()
  .use(sessionOnly)
  .post("/", body(keyBody), async (c) => {
    const { tenantId, userId } = c.get("principal");
    const { row, key } = await issueApiKey(c.get("deps"), tenantId, userId, c.req.valid("json"));
    return c.json({ data: { ...view(row), key } }, 201);
  })
  .get("/", async (c) => {
    const deps = c.get("deps");
    const { tenantId, userId } = c.get("principal");
    const rows = await listApiKeys(deps, tenantId, userId, deps.now());
    return c.json({ data: rows.map(view) });
  })
  .delete("/:id", async (c) => {
    const deps = c.get("deps");
    const { tenantId, userId, permissions } = c.get("principal");
    const ownerId = permissions.has("member.manage") ? null : userId;
    const found = await revokeApiKey(deps, tenantId, ownerId, c.req.param("id"), deps.now());
    if (!found) throw notFound("API key");
    return c.json({ message: "API key revoked" });
  });
