/** The search of operators, over both planes and every delivery database. */
import type { Deps } from "../deps";
import type { SessionPrincipal } from "../tenants/principal";
import { iso } from "../time";
import { id } from "../wire/schemas";
import type { SearchResult } from "./schemas";
import {
  type FoundSubscription,
  MAX_FINDINGS,
  namesOfTenants,
  searchControl,
  searchHosts,
  searchId,
} from "./search-store";

/** Returns what has this id, or begins with this text: at most 20 findings of a kind. Throws when a database is down. */
export async function search(deps: Deps, operator: SessionPrincipal, query: string): Promise<SearchResult> {
  const text = query.normalize("NFKC").toLowerCase();
  const [{ tenants, people }, ...ofShards] = await Promise.all([
    searchControl(deps, operator, text),
    ...deps.shards.numbers.map((shard) => searchShard(deps, shard, text)),
  ]);
  const all = <K extends keyof (typeof ofShards)[number]>(kind: K) =>
    ofShards.flatMap((found) => found[kind] as (typeof ofShards)[number][K][number][]).slice(0, MAX_FINDINGS);
  const [subscriptions, events, deliveries] = [all("subscriptions"), all("events"), all("deliveries")];
  const names = await namesOfTenants(
    deps,
    [...subscriptions, ...events, ...deliveries].map(({ tenantId }) => tenantId),
  );
  const tenantOf = (tenantId: string) => ({ tenantId, tenantName: names.get(tenantId) ?? "" });
  return {
    tenants: tenants.map(({ isSuspended, ...tenant }) => ({ ...tenant, isSuspended: isSuspended === 1 })),
    people: people.map(({ isSuspended, ...person }) => ({ ...person, isSuspended: isSuspended === 1 })),
    subscriptions: subscriptions.map((found) => ({ ...subscriptionView(found), ...tenantOf(found.tenantId) })),
    events: events.map(({ createdAt, tenantId, ...event }) => ({
      ...event,
      createdAt: iso(createdAt),
      ...tenantOf(tenantId),
    })),
    deliveries: deliveries.map(({ tenantId, ...delivery }) => ({ ...delivery, ...tenantOf(tenantId) })),
  };
}

async function searchShard({ shards }: Deps, shard: number, text: string) {
  const db = shards.db(shard);
  if (id.safeParse(text).success) return searchId(db, text);
  const host = hostIn(text);
  return { subscriptions: host === "" ? [] : await searchHosts(db, host), events: [], deliveries: [] };
}

/** What a URL has after its host would let an operator guess a secret in it, character by character. */
const hostIn = (text: string) => text.replace(/^https?:\/\//, "").split(/[/?#\\]/, 1)[0] ?? "";

/** Shows only the host of the URL, because the rest can be a secret. */
const subscriptionView = ({ id, name, url, enabled }: FoundSubscription) => ({
  id,
  name,
  host: URL.parse(url)?.host ?? "",
  enabled: enabled === 1,
});
