/** Why a tenant's subscriptions get what they get, or nothing: their types, their pauses, and what was published. */
import { timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { DAY_MS, iso } from "../../base/time";
import { readKnown } from "../../webhooks/event-types/known-store";
import { mostSimilar } from "../../webhooks/event-types/similar";
import { type Pause, readPublished } from "./published-store";
import type { OperatedTenant } from "./schemas";
import { hostOf } from "./search";
import { countMatching, type TenantSubscriptionRow } from "./tenant-subscriptions-store";

const PERIOD_MS = 7 * DAY_MS;

type Reception = Pick<OperatedTenant, "subscriptionStates" | "published">;

/** The subscriptions of a tenant with what they were published in seven days. */
export async function receptionOf(deps: Deps, tenant: TenantRef, nowMs: number): Promise<Reception> {
  const sinceMs = nowMs - PERIOD_MS;
  const { types, examinedSinceMs, pauses, subscriptions } = await readPublished(deps, tenant, sinceMs);
  const lists = subscriptions.map(({ events }) => events);
  const [nearest, matching] = await Promise.all([
    nearestOf(deps, tenant, subscriptions, types),
    countMatching(deps, tenant, lists, types),
  ]);
  const pauseOf = new Map(pauses.map((pause) => [pause.subscriptionId, pause]));
  return {
    subscriptionStates: subscriptions.map((row, index) => ({
      ...stateView(row, pauseOf.get(row.id), nearest),
      matching: matching[index] ?? 0,
    })),
    published: {
      since: iso(examinedSinceMs ?? sinceMs),
      events: types.reduce((sum, { count }) => sum + count, 0),
    },
  };
}

/** For each name that was not published: one that was or is declared, and that may be meant. */
async function nearestOf(
  deps: Deps,
  tenant: TenantRef,
  listed: readonly TenantSubscriptionRow[],
  types: readonly { type: string }[],
): Promise<ReadonlyMap<string, string>> {
  const published = new Set(types.map(({ type }) => type));
  const names = [...new Set(listed.flatMap(({ events }) => typesOf(events)))].filter(
    (type) => !type.endsWith("*") && !type.startsWith(OPERATIONAL_PREFIX) && !published.has(type),
  );
  if (names.length === 0) return new Map();
  const { declared, similar } = await readKnown(deps, tenant, names);
  const meant = [...new Set([...published, ...similar])];
  return new Map(
    names.flatMap((name) => {
      const near = declared.has(name) ? undefined : mostSimilar(name, meant);
      return near === undefined ? [] : [[name, near] as const];
    }),
  );
}

const typesOf = (events: string) => JSON.parse(events) as string[];

function stateView(
  { url, lastTriggeredAt, events, ...row }: TenantSubscriptionRow,
  pause: Pause | undefined,
  nearest: ReadonlyMap<string, string>,
): Omit<OperatedTenant["subscriptionStates"][number], "matching"> {
  const types = typesOf(events);
  const isOff = row.state === "paused" || row.state === "disabled";
  return {
    ...row,
    host: hostOf(url),
    lastTriggeredAt: iso(lastTriggeredAt),
    events: types,
    similar: types.flatMap((type) => {
      const near = nearest.get(type);
      return near === undefined ? [] : [{ type, meant: near }];
    }),
    offSince: isOff && pause ? { at: iso(timeOfId(pause.id)), by: pause.actorName ?? pause.actorKind } : null,
  };
}
