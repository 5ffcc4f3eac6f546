/** Replays of a subscription, started by the API or without their first page, and continued one run at a time. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { firstIdAt, newIdAt } from "../../src/base/db/ids";
import { createDeps, type Deps } from "../../src/base/deps";
import { SYSTEM } from "../../src/base/schemas/actor";
import { continueReplays } from "../../src/webhooks/resend/replays/continue";
import { insertJob, type ReplaySpec } from "../../src/webhooks/resend/replays/store";
import { call, eventually, type Person, signUpVerified } from "./client";
import { newInbox, subscribe } from "./receiver";
import { deliveryDb, SHARD } from "./shard";

export const HOUR_MS = 3_600_000;
export const hourAgo = () => new Date(Date.now() - HOUR_MS).toISOString();

export const replay = (person: Person, id: string, fields: object, headers: Record<string, string> = {}) =>
  call("POST", `/webhooks/${id}/replay`, { token: person.token, body: { since: hourAgo(), ...fields }, headers });

export const act = (person: Person, id: string, action: string) =>
  call("POST", `/webhooks/${id}/${action}`, { token: person.token });

export const finished = (person: Person, id: string, replayId: string) =>
  eventually("the end of the replay", async () => {
    await runOnce();
    const { body } = await call("GET", `/webhooks/${id}/replays/${replayId}`, { token: person.token });
    return body.data.status === "finished" && body.data;
  });

export async function runOnce(bindings: object = {}, change: Partial<Deps> = {}): Promise<void> {
  const context = createExecutionContext();
  const deps = await createDeps({ ...env, ...bindings } as Env, context);
  try {
    await continueReplays({ ...deps, ...change }, SHARD);
  } finally {
    await waitOnExecutionContext(context);
  }
}

/** Starts a replay without its first page. */
export async function startReplay(person: Person, id: string, fields: Partial<ReplaySpec>): Promise<string> {
  const nowMs = Date.now();
  const spec: ReplaySpec = {
    which: "missing",
    since: nowMs - HOUR_MS,
    until: nowMs,
    eventTypes: null,
    includeBefore: false,
    ratePerMinute: 600,
    ...fields,
  };
  const inserted = await insertJob(
    await createDeps(env, createExecutionContext()),
    { tenantId: person.tenantId, shard: SHARD, actor: SYSTEM },
    id,
    { id: newIdAt(nowMs), cursor: firstIdAt(nowMs - HOUR_MS), pacedAt: nowMs - 5_000, spec },
    { key: null, requestHash: null },
    nowMs,
    0,
  );
  if (inserted.kind !== "inserted") throw new Error(inserted.kind);
  return inserted.job.id;
}

/** Stores events of a tenant without any deliveries. Returns their ids. */
export async function storeEvents(
  person: Person,
  count: number,
  type = "OrderPaid",
  at = Date.now(),
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => newIdAt(at - index)).sort();
  await deliveryDb
    .prepare(
      `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
       SELECT value, ?, ?, '1', 0, ? FROM json_each(?)`,
    )
    .bind(person.tenantId, type, at, JSON.stringify(ids))
    .run();
  return ids;
}

/** A subscription, and events from a pause of it. Its deliveries wait in a backlog, so nothing is sent. */
export async function withMissing(count: number): Promise<{ person: Person; id: string; events: string[] }> {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  await act(person, id, "pause");
  const events = await storeEvents(person, count);
  await act(person, id, "resume");
  await deliveryDb
    .prepare("UPDATE subscriptions SET has_backlog = 1, held_until = ? WHERE id = ?")
    .bind(Date.now() + HOUR_MS, id)
    .run();
  return { person, id, events };
}

export const queuedEvents = async (id: string) =>
  (
    await deliveryDb
      .prepare("SELECT event_id AS id FROM outbox WHERE subscription_id = ? ORDER BY event_id")
      .bind(id)
      .all<{ id: string }>()
  ).results.map((row) => row.id);

export const jobRow = (replayId: string) =>
  deliveryDb
    .prepare("SELECT state, queued FROM replay_jobs WHERE id = ?")
    .bind(replayId)
    .first<{ state: string; queued: number }>();
