/** Trying a filter on an event. */
import { orNotFound } from "../../base/errors";
import { operation, WITH_PORTALS } from "../../base/operation";
import { TEST_RULES } from "../access";
import { reasons } from "./match";
import { parseFilter } from "./parse";
import { type FilterResult, filterSample } from "./schemas";
import { findFilter } from "./store";
import { readFilter } from "./stored";

export const filters = {
  test: operation({
    ...TEST_RULES,
    callers: WITH_PORTALS,
    schema: filterSample,
    verb: async ({ deps, principal, param, input: { type, payload, filter } }): Promise<FilterResult> => {
      const stored = orNotFound(await findFilter(deps, principal, param("id"), type), "Webhook");
      const owner = { tenantId: principal.tenantId, webhookId: param("id") };
      const own = stored.filter === null ? null : readFilter(stored.filter, owner);
      const tried = filter ? parseFilter(filter) : own;
      const because = tried === null ? [] : reasons(tried, { type, payload });
      return { subscribed: stored.isSubscribed, matches: because.length === 0, because };
    },
  }),
};
