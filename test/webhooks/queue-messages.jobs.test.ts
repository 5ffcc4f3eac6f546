/**
 * The delivery engine with duplicate, early, late and malformed messages, dead consumers, and paused or deleted
 * subscriptions.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { type AttemptResult, recordAttempts } from "../../src/webhooks/delivery/record-store";
import { releaseDeliveries } from "../../src/webhooks/delivery/release-store";
import { CLAIM_LEASE_MS } from "../../src/webhooks/plane/timing";
import { call, eventually, type Person, signUp } from "../support/client";
import {
  addDelivery,
  consumeBatch,
  type Key,
  keyNow,
  LOSING_QUEUE,
  makeDue,
  messageFor,
  metricsOf,
  newDelivery,
  outboxRow,
  sweepNow,
} from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
const claimAs = (claim: string, key: Key) => claimDeliveries(db, { speed: "fast", claim }, [key], Date.now());

const resultOf = (key: Key, attemptId: string): AttemptResult => ({
  ...key,
  attemptId,
  kind: "event",
  status: "success",
  responseCode: 200,
  responseBody: "",
  responseHeaders: null,
  error: null,
  startedAt: Date.now(),
  completedAt: Date.now(),
  nextDueAt: null,
  nextAttemptId: null,
  isSlow: false,
  cooldownUntil: null,
  isGone: false,
  isFailedProbe: false,
  mayBeGone: false,
});

/** Ends every lease of a subscription's deliveries. */
const expireLeases = (webhookId: string) =>
  deliveryDb.batch([
    deliveryDb
      .prepare("UPDATE attempts SET attempted_at = attempted_at - ?1 WHERE subscription_id = ?2 AND status = 'pending'")
      .bind(CLAIM_LEASE_MS, webhookId),
    deliveryDb
      .prepare("UPDATE outbox SET due_at = due_at - ?1 WHERE subscription_id = ?2")
      .bind(CLAIM_LEASE_MS, webhookId),
  ]);

const logs = async (person: Person, webhookId: string) =>
  (await call("GET", `/webhooks/${webhookId}/logs`, { token: person.token })).body.data;

describe("messages", () => {
  test("that are duplicates, in one batch or in two at once, send a delivery once", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("slow-300");
    await Promise.all([consumeBatch([messageFor(key), messageFor(key)]), consumeBatch([messageFor(key, key)])]);
    expect(await inbox.received()).toHaveLength(1);
    expect(await outboxRow(key)).toBeNull();
    expect(await metricsOf(person, webhookId)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("for a delivery that has ended do nothing", async () => {
    const { inbox, key } = await newDelivery("200");
    for (let time = 0; time < 3; time += 1) await consumeBatch([messageFor(key)]);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("that arrive before a retry is due send nothing and use up no attempt", async () => {
    const { inbox, key } = await newDelivery("500", { delivery: { retry: { schedule: [600] } } });
    await consumeBatch([messageFor(key)]);
    const before = await outboxRow(key);
    expect(before?.attempts).toBe(1);
    await consumeBatch([messageFor(key)], "postern-deliveries-slow");
    expect(await inbox.received()).toHaveLength(1);
    expect(await outboxRow(key)).toEqual(before);
    const tooSoon = await consumeBatch([messageFor({ ...key, dueAt: Date.now() + 60_000 })]);
    expect(tooSoon.retryMessages).toMatchObject([{ msgId: "m0" }]);
  });

  test("that are malformed or name unknown ids are acked, and the valid one among them is delivered", async () => {
    const { inbox, key } = await newDelivery("200");
    const unknown = [
      null,
      7,
      "text",
      {},
      { shard: SHARD, due: [] },
      { shard: SHARD, due: [5] },
      messageFor({ ...key, id: "unknown" }),
    ];
    const result = await consumeBatch([...unknown, messageFor(key)]);
    expect([result.outcome, result.retryMessages, result.retryBatch.retry]).toEqual(["ok", [], false]);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("for a shard that is not bound are retried, and those for other shards are delivered", async () => {
    const { inbox, key } = await newDelivery("200");
    const result = await consumeBatch([{ shard: 99, due: [key] }, messageFor(key)]);
    expect(result.retryMessages.length).toBeGreaterThan(0);
    await consumeBatch([messageFor(key)]);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("in the dead-letter queues are logged and acked, and the sweep still sends the delivery", async () => {
    const { inbox, key } = await newDelivery("200");
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const result = await consumeBatch([messageFor(key), { nonsense: true }], "postern-deliveries-dead");
    const lines = errors.mock.calls.flat().map((line) => JSON.parse(String(line)));
    errors.mockRestore();
    expect([result.outcome, result.explicitAcks, result.retryMessages]).toEqual(["ok", ["m0", "m1"], []]);
    expect(lines.filter((line) => line.message === "dead letter").map((line) => line.deliveryId)).toEqual([
      key.id,
      undefined,
    ]);
    await expireLeases(key.subscriptionId);
    await sweepNow();
    await inbox.arrived(1);
  });

  test("that were lost are replaced by the sweep", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    await addDelivery(person, webhookId, { dueAt: Date.now() - CLAIM_LEASE_MS });
    await sweepNow();
    await inbox.arrived(1);
  });
});

describe("claims", () => {
  test("prevent other messages from sending, and a result recorded after the lease has no effect", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    const { claimed } = await claimAs("dead-consumer", key);
    expect(claimed).toMatchObject([{ id: key.id, attemptId: key.id, attemptCount: 1, payload: "1" }]);
    await consumeBatch([messageFor(key)]);
    expect(await inbox.received()).toHaveLength(0);
    expect((await logs(person, webhookId)).map((row: { status: string }) => row.status)).toEqual(["pending"]);

    await expireLeases(webhookId);
    await sweepNow();
    await inbox.arrived(1);
    const rows = await endedAttempts(person, webhookId, 2);
    expect(rows).toMatchObject([
      { status: "success", attemptCount: 1, deliveryId: key.id },
      { status: "failed", error: "interrupted", attemptCount: 1, _id: key.id },
    ]);
    expect(await outboxRow(key)).toBeNull();
    expect((await recordAttempts(db, "dead-consumer", [resultOf(key, key.id)])).recorded).toEqual(new Set());
    expect(await metricsOf(person, webhookId)).toEqual({ total: 2, success: 1, failed: 1, pending: 0 });
  });

  test("can be repeated, like records, when the answer of D1 was lost: the answer is the same and the attempt counts once", async () => {
    const { person, webhookId, key } = await newDelivery("200");
    const nowMs = Date.now();
    const first = await claimDeliveries(db, { speed: "fast", claim: "c" }, [key], nowMs);
    const second = await claimDeliveries(db, { speed: "fast", claim: "c" }, [key], nowMs);
    expect(second).toEqual(first);
    const result = resultOf(key, key.id);
    expect((await recordAttempts(db, "c", [result])).recorded).toEqual(new Set([key.id]));
    expect((await recordAttempts(db, "c", [result])).recorded).toEqual(new Set([key.id]));
    expect(await metricsOf(person, webhookId)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("that are interrupted again and again do not end the delivery or use up attempts; it waits only from the fifth time on", async () => {
    const { key, inbox } = await newDelivery("200");
    let current = key;
    for (let interruptions = 1; interruptions <= 8; interruptions += 1) {
      await claimAs("dies", current);
      await expireLeases(key.subscriptionId);
      // A consumer could send the delivery between two of these lines.
      await sweepNow(LOSING_QUEUE);
      const row = await outboxRow(key);
      expect(row).toMatchObject({ interruptions, attempts: 0 });
      expect([interruptions, Number(row?.due_at) > Date.now()]).toEqual([interruptions, interruptions > 4]);
      current = await makeDue(key);
    }
    await consumeBatch([messageFor(await keyNow(current))]);
    await inbox.arrived(1);
  });

  test("that are released leave no attempt in the log, and the delivery can be claimed again", async () => {
    const { person, webhookId, key } = await newDelivery("200");
    const { claimed } = await claimAs("holder", key);
    expect(await metricsOf(person, webhookId)).toMatchObject({ pending: 1 });
    await releaseDeliveries(db, "holder", claimed);
    expect(await logs(person, webhookId)).toEqual([]);
    expect(await metricsOf(person, webhookId)).toEqual({ total: 0, success: 0, failed: 0, pending: 0 });
    expect(await outboxRow(key)).toMatchObject({ attempts: 0, interruptions: 0 });
    expect((await claimAs("other", key)).claimed).toHaveLength(1);
  });

  test("that are late give their attempt a new id with the time of the claim, and can be released and made again", async () => {
    const { person, webhookId } = await newDelivery("200");
    const lateMs = Date.now() - 60_000;
    await deliveryDb.prepare("DELETE FROM outbox WHERE subscription_id = ?").bind(webhookId).run();
    vi.useFakeTimers({ toFake: ["Date"], now: lateMs });
    const key = await addDelivery(person, webhookId, { dueAt: lateMs });
    vi.useRealTimers();
    const { claimed } = await claimAs("late", key);
    expect(claimed).toHaveLength(1);
    expect((claimed[0]?.attemptId ?? "") > key.id).toBe(true);
    await releaseDeliveries(db, "late", claimed);
    expect(await logs(person, webhookId)).toEqual([]);
    await consumeBatch([messageFor(key)]);
    expect(await logs(person, webhookId)).toMatchObject([{ status: "success", deliveryId: key.id }]);
    expect(await outboxRow(key)).toBeNull();
  });
});

describe("a subscription that is", () => {
  test("paused gets failed attempts without a send, and its retries stay planned", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200", { enabled: false });
    await consumeBatch([messageFor(key)]);
    expect(await inbox.received()).toHaveLength(0);
    expect(await logs(person, webhookId)).toMatchObject([{ status: "failed", error: "paused", attemptCount: 1 }]);
    expect(await outboxRow(key)).toMatchObject({ attempts: 1 });
  });

  test("deleted is sent nothing, and its deliveries end without a row in the log", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
    await consumeBatch([messageFor(key)]);
    expect(await inbox.received()).toHaveLength(0);
    expect(await outboxRow(key)).toBeNull();
    const rows = await deliveryDb
      .prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?")
      .bind(webhookId)
      .first();
    expect(rows).toEqual({ n: 0 });
  });

  test("deleted during an attempt still gets its result recorded, even if a duplicate message comes first", async () => {
    const { person, webhookId, key } = await newDelivery("200");
    expect((await claimAs("holder", key)).claimed).toHaveLength(1);
    await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
    await consumeBatch([messageFor(key)]);
    expect((await recordAttempts(db, "holder", [resultOf(key, key.id)])).recorded).toEqual(new Set([key.id]));
  });

  test("deleted during an attempt whose consumer dies leaves nothing pending and nothing owed", async () => {
    const { person, webhookId, key } = await newDelivery("200");
    await claimAs("dies", key);
    await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
    await consumeBatch([messageFor(key)]);
    await expireLeases(webhookId);
    await sweepNow();
    const attempt = await deliveryDb
      .prepare("SELECT status, error FROM attempts WHERE subscription_id = ?")
      .bind(webhookId)
      .first();
    expect(attempt).toEqual({ status: "failed", error: "interrupted" });
    await eventually("nothing is owed", async () => (await outboxRow(key)) === null);
  });
});

test("every attempt of a batch is recorded when the answers contain text that JSON makes six times longer", async () => {
  const { person, webhookId, key } = await newDelivery("zeros");
  const keys = [key, ...(await Promise.all(Array.from({ length: 29 }, () => addDelivery(person, webhookId))))];
  await consumeBatch([messageFor(...keys)]);
  // Where answers are slow, the run passes some deliveries on to other invocations.
  await endedAttempts(person, webhookId, 30);
  expect(await metricsOf(person, webhookId)).toEqual({ total: 30, success: 30, failed: 0, pending: 0 });
});

test("a batch of sixty costs fewer calls than it has deliveries, and its log is in order", async () => {
  const person = await signUp();
  const inbox = newInbox("200");
  const webhookId = await subscribe(person, inbox.url);
  const keys = await Promise.all(Array.from({ length: 60 }, () => addDelivery(person, webhookId)));
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  const run = new DeliveryRun(deps, "fast");
  await run.add(keys.map((key) => ({ ...key, shard: SHARD })));
  await run.finished();
  await waitOnExecutionContext(context);
  expect(deps.trips.trips).toBeLessThan(60);
  await eventually("all sent", async () => (await inbox.received()).length === 60);
  const log: { attemptedAt: string; _id: string }[] = (
    await call("GET", `/webhooks/${webhookId}/logs?limit=100`, { token: person.token })
  ).body.data;
  const shown = log.map(({ attemptedAt, _id }) => `${attemptedAt} ${_id}`);
  expect(shown).toHaveLength(60);
  expect(shown).toEqual(shown.toSorted().reverse());
});
