/** `/console/api-keys`: the current user's API keys in this tenant. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { installLine } from "../../base/npm-package";
import { apiKeys } from "../../identity/api-keys/api";
import { keysSeenBy } from "../../identity/api-keys/revoke";
import { listApiKeys } from "../../identity/api-keys/store";
import { expiryOf } from "../components/lifetimes";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { ApiKeys, type KeyValues } from "./page";

interface KeysView {
  values?: KeyValues;
  refused?: Refused;
  issued?: { name: string; key: string };
}

const EMPTY: KeyValues = { name: "", scopes: [], days: "", owner: "user" };

async function keysPage(c: Context<AppEnv>, { values = EMPTY, refused, issued }: KeysView) {
  const deps = c.get("deps");
  const principal = c.get("principal");
  const keys = await listApiKeys(deps, keysSeenBy(principal), deps.now());
  return page(
    c,
    { title: "API keys", section: "keys", refused, status: issued ? 201 : 200 },
    <ApiKeys
      keys={keys}
      permissions={principal.permissions}
      values={values}
      install={installLine(new URL(c.req.url).origin)}
      issued={issued}
    />,
  );
}

export const keyPages = new Pages()
  .get("/", (c) => keysPage(c, {}))
  .form("/", apiKeys.issue, {
    values: (sent) => ({
      name: sent.text("name"),
      scopes: sent.list("scopes"),
      days: sent.text("expiresAt"),
      owner: sent.text("owner") || "user",
    }),
    input: ({ name, scopes, days, owner }, c) => ({ name, scopes, owner, ...expiryOf(days, c.get("deps").now()) }),
    done: (c, { row, key }) => keysPage(c, { issued: { name: row.name, key } }),
    again: (c, refused, values) => keysPage(c, { values, refused }),
  })
  .form("/:id/revoke", apiKeys.revoke, { done: flash("/api-keys", "keyRevoked") }).router;
