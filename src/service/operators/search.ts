/** The search of operators, over both planes and every delivery database. */
import type { Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { id } from "../../base/schemas/schemas";
import { iso } from "../../base/time";
import type { SearchResult } from "./schemas";
import {
  type FoundSubscription,
  MAX_FINDINGS,
  namesOfTenants,
  searchControl,
  searchHosts,
  searchId,
} from "./search-store";

/**
 * Returns what has this id, or begins with this text: at most 20 findings of a kind. `unreachable` names the delivery
 * databases that are down.
 */
export async function search(deps: Deps, operator: SessionPrincipal, query: string): Promise<SearchResult> {
  const text = query.normalize("NFKC").toLowerCase();
  const [{ tenants, people }, ...ofShards] = await Promise.all([
    searchControl(deps, operator, { text, name: query, kind: isId(text) ? "id" : "text" }),
    ...deps.shards.numbers.map((shard) => searchShard(deps, shard, text)),
  ]);
  const reached = ofShards.flatMap(({ found }) => found ?? []);
  const all = <K extends keyof Findings>(kind: K) =>
    unique(reached.flatMap((found) => found[kind] as Findings[K][number][])).slice(0, MAX_FINDINGS);
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
    unreachable: ofShards.flatMap(({ shard, found }) => (found ? [] : [shard])),
  };
}

/** The former database of a moved tenant has copies of its subscriptions. */
const unique = <T extends { id: string }>(found: readonly T[]): T[] =>
  [...new Map(found.toReversed().map((one) => [one.id, one])).values()].reverse();

const isId = (text: string): boolean => id.safeParse(text).success;

type Findings = Awaited<ReturnType<typeof searchId>>;

async function searchShard(
  { shards }: Deps,
  shard: number,
  text: string,
): Promise<{ shard: number; found: Findings | null }> {
  try {
    return { shard, found: await searchDelivery(shards.db(shard), text) };
  } catch (error) {
    log("error", "delivery database not read", { shard, ...describeError(error) });
    return { shard, found: null };
  }
}

async function searchDelivery(db: Db, text: string): Promise<Findings> {
  if (isId(text)) return searchId(db, text);
  const host = hostIn(text);
  return { subscriptions: host === "" ? [] : await searchHosts(db, host), events: [], deliveries: [] };
}

/** What a URL has after its host would let an operator guess a secret in it, character by character. */
const hostIn = (text: string) => text.replace(/^https?:\/\//, "").split(/[/?#\\]/, 1)[0] ?? "";

/** Operators see only the host of a URL, because the rest can be a secret. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

const subscriptionView = ({ id, name, url, enabled }: FoundSubscription) => ({
  id,
  name,
  host: hostOf(url),
  enabled: enabled === 1,
});
