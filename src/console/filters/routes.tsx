/** `/console/webhooks/:id/filter`: the filter of a subscription. */

import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { WITH_PORTALS } from "../../base/operation";
import { TEST_RULES } from "../../webhooks/access";
import { filters } from "../../webhooks/filters/api";
import type { FilterResult } from "../../webhooks/filters/schemas";
import { subscriptions } from "../../webhooks/subscriptions/api";
import { Say } from "../components/mount";
import type { Form } from "../http/form";
import { parseJson } from "../http/json";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { requireSubscription } from "../http/subscription";
import { FilterPage, type FilterValues } from "./page";

const readValues = (form: Form): FilterValues => ({
  ...form.texts("filter", "payload"),
  type: form.text("type").trim(),
});

/** The page; without values, with what is stored and an example. */
async function filterPage(
  c: Context<AppEnv>,
  { values, result, refused }: { values?: FilterValues; result?: FilterResult; refused?: Refused } = {},
) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const principal = c.get("principal");
  const row = await requireSubscription(c);
  const { filter } = row.options ?? {};
  const type = row.events.find((entry) => !entry.endsWith("*")) ?? "";
  const stored = { filter: filter ? JSON.stringify(filter, null, 2) : "", type, payload: '{\n  "total": 42\n}' };
  const mayUpdate = principal.permissions.has("webhook.update");
  return page(
    c,
    { title: <Say of="portal.filter" />, section: "subscriptions", refused },
    <FilterPage id={row.id} name={row.name} mayUpdate={mayUpdate} result={result} values={values ?? stored} />,
  );
}

const again = (c: Context<AppEnv>, refused: Refused, values: FilterValues) => filterPage(c, { values, refused });

export const filterPages = new Pages()
  .get("/:id/filter", requires({ callers: WITH_PORTALS, permission: "webhook.read" }), (c) => filterPage(c))
  .form("/:id/filter/test", filters.test, {
    values: readValues,
    input: ({ filter, type, payload }) => ({
      type,
      payload: parseJson("payload", payload),
      filter: parseJson("filter", filter),
    }),
    done: (c, result, values) => filterPage(c, { values, result }),
    again,
  })
  .form("/:id/filter", subscriptions.change, {
    // The payload to try comes with the filter.
    bodyKiB: TEST_RULES.bodyKiB,
    values: readValues,
    input: ({ filter }) => ({ delivery: { filter: filter.trim() === "" ? null : parseJson("filter", filter) } }),
    done: flash("/webhooks/:id", "changed"),
    again,
  }).router;
