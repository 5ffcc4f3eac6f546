/** Subscriptions that hold deliveries, and the cron's work on these every minute. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import { releaseHeld } from "../../src/webhooks/delivery/lanes/release";
import { call, logIn, type Person } from "./client";
import { publish } from "./receiver";
import { deliveryDb } from "./shard";
import { maintain } from "./upkeep";

export const HOLDS = { delivery: { onPause: "hold" } };

export async function release(): Promise<void> {
  const context = createExecutionContext();
  await maintain(await createDeps(env, context), releaseHeld);
  await waitOnExecutionContext(context);
}

export const api = async (person: Person, method: string, path: string, body?: unknown) =>
  call(method, `/webhooks/${path}`, { token: (await logIn(person)).token, body });

export const row = (id: string) =>
  deliveryDb
    .prepare("SELECT enabled, has_backlog, released_to, release_rate, dropped_to FROM subscriptions WHERE id = ?")
    .bind(id)
    .first<Record<string, number | null>>();

export const countHeld = (id: string) =>
  deliveryDb.prepare("SELECT count(*) AS n FROM outbox WHERE queue = ?").bind(id).first<number>("n");

export const attemptsOf = async (id: string) => {
  const { results } = await deliveryDb
    .prepare(
      "SELECT status, error, attempt_count FROM attempts WHERE subscription_id = ? AND status <> 'moved' ORDER BY id",
    )
    .bind(id)
    .all<{ status: string; error: string | null; attempt_count: number }>();
  return results;
};

/** Adds `count` held deliveries of one event, a millisecond apart and all in the past. */
export async function hold(person: Person, id: string, count: number): Promise<void> {
  const { id: eventId } = await publish(await logIn(person), "held");
  await deliveryDb.prepare("DELETE FROM outbox WHERE queue = ?").bind(id).run();
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
       SELECT ?2, ?3 + i, printf('%08d', i) || substr(?4, 9), ?5, ?2, ?4, 'event', 1 FROM n`,
    )
    .bind(count, id, Date.now() - 200_000, eventId, person.tenantId)
    .run();
}
