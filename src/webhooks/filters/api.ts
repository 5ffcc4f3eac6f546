/** `/webhooks/:id/filter`: trying the filter of a subscription. */
import { orNotFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { WITH_PORTALS } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { TEST_RULES } from "../access";
import { Meter } from "../work/meter";
import { reasons } from "./match";
import { parseFilter } from "./parse";
import { type FilterResult, filterResult, filterSample } from "./schemas";
import { findFilter } from "./store";
import { readFilter } from "./stored";

export const filters = {
  test: endpoint({
    id: "testFilter",
    summary: "Says whether a subscription would receive an event, and if not, why. Writes nothing.",
    ...TEST_RULES,
    callers: WITH_PORTALS,
    schema: filterSample,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(filterResult) }),
    verb: async ({ deps, principal, param, input: { type, payload, filter } }): Promise<FilterResult> => {
      const stored = orNotFound(await findFilter(deps, principal, param("id"), type), "Webhook");
      const owner = { tenantId: principal.tenantId, webhookId: param("id") };
      const own = stored.filter === null ? null : readFilter(stored.filter, owner);
      const tried = filter ? parseFilter(filter) : own;
      const because = tried === null ? [] : reasons(tried, { type, payload }, new Meter());
      return { subscribed: stored.isSubscribed, matches: because.length === 0, because };
    },
    answer: (c, data) => c.json({ data }),
  }),
};

export const filterRoutes = routes({
  "POST /:id/filter/test": filters.test,
});
