/** `/console/api-keys`: the current user's API keys in this tenant. */
import { type Context, Hono } from "hono";
import { issueApiKey } from "../../identity/api-keys/issue";
import { revokeApiKey } from "../../identity/api-keys/revoke";
import { newApiKey } from "../../identity/api-keys/schemas";
import { listApiKeys } from "../../identity/api-keys/store";
import type { AppEnv } from "../../platform/http/env";
import { limit } from "../../platform/http/rate-limit";
import { DAY_MS, iso } from "../../platform/time";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { ApiKeys, type KeyValues, LIFETIMES } from "./page";

interface KeysView {
  values?: KeyValues;
  failure?: Failure;
  issued?: { name: string; key: string };
}

async function keysPage(c: Context<AppEnv>, { values, failure, issued }: KeysView, status = 200) {
  const deps = c.get("deps");
  const { tenantId, userId, permissions } = c.get("principal");
  const keys = await listApiKeys(deps, tenantId, userId, deps.now());
  const shown = values ?? { name: "", scopes: [], days: "" };
  return page(
    c,
    { title: "API keys", section: "keys", status },
    <ApiKeys keys={keys} permissions={permissions} values={shown} failure={failure} issued={issued} />,
  );
}

/**
 * The expiry for a lifetime of the form. A lifetime that the form does not offer ends now, which the schema refuses.
 */
const expiry = (days: string, nowMs: number) => {
  if (days === "") return {};
  const offered = LIFETIMES.some(([value]) => value === days);
  return { expiresAt: iso(nowMs + (offered ? Number(days) * DAY_MS : 0)) };
};

export const keyPages = new Hono<AppEnv>()
  .get("/", (c) => keysPage(c, {}))
  .post("/", limit("createApiKey", "user"), async (c) => {
    const deps = c.get("deps");
    const form = await readForm(c);
    const values = { name: form.text("name"), scopes: form.list("scopes"), days: form.text("expiresAt") };
    return rerenderOnError(
      c,
      async () => {
        const { name, scopes } = values;
        const input = parse(newApiKey, { name, scopes, ...expiry(values.days, deps.now()) });
        const { key } = await issueApiKey(deps, c.get("principal"), input);
        return keysPage(c, { issued: { name: input.name, key } }, 201);
      },
      (failure, status) => keysPage(c, { values, failure }, status),
    );
  })
  .post("/:id/revoke", async (c) => {
    await revokeApiKey(c.get("deps"), c.get("principal"), c.req.param("id"));
    return redirectWithFlash(c, "/api-keys", "keyRevoked");
  });
