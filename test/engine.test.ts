/** Duplicate, reordered, late and malformed messages; dead consumers; paused and deleted subscriptions. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { runCron } from "../src/cron";
import { newId } from "../src/db/ids";
import { claimDeliveries, recordAttempts, releaseDeliveries } from "../src/delivery/store";
import { createDeps } from "../src/deps";
import { call, eventually, type Person, signUp } from "./support/client";
import { addDelivery, consumeBatch, deliveryRow, messageFor, metricsOf, newDelivery } from "./support/engine";
import { endedAttempts, newInbox, subscribe } from "./support/receiver";

const as = (lease: string) => ({ lane: "fast" as const, lease, saturated: [] });
const deps = await createDeps(env, createExecutionContext());

async function sweepNow(): Promise<void> {
  const context = createExecutionContext();
  await runCron(await createDeps(env, context), "* * * * *");
  await waitOnExecutionContext(context);
}

const logs = async (person: Person, webhookId: string) =>
  (await call("GET", `/webhooks/${webhookId}/logs`, { token: person.token })).body.data;
describe("messages", () => {
  test("duplicates in one batch and in two at once send once", async () => {
    const { person, inbox, webhookId, id } = await newDelivery("slow-300");
    await Promise.all([consumeBatch([messageFor(id), messageFor(id)]), consumeBatch([messageFor(id)])]);
    expect(await inbox.received()).toHaveLength(1);
    expect(await deliveryRow(id)).toMatchObject({ attempts: 1, lease: null, due_at: null, sweep_at: null });
    expect(await metricsOf(person, webhookId)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("late ones, for a finished delivery, do nothing", async () => {
    const { inbox, id } = await newDelivery("200");
    for (let time = 0; time < 3; time += 1) await consumeBatch([messageFor(id)]);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("an early one, before the retry is due, sends nothing and uses up nothing", async () => {
    const { inbox, id } = await newDelivery("500");
    await consumeBatch([messageFor(id)]);
    const before = await deliveryRow(id);
    expect(before.attempts).toBe(1);
    await consumeBatch([messageFor(id)], "postern-deliveries-slow");
    expect(await inbox.received()).toHaveLength(1);
    expect(await deliveryRow(id)).toEqual(before);
    const tooSoon = await consumeBatch([{ deliveryId: id, dueAt: Date.now() + 60_000 }]);
    expect(tooSoon.retryMessages).toMatchObject([{ msgId: "m0" }]);
  });

  test("malformed ones and unknown ids are acked, and the good one among them is delivered", async () => {
    const { inbox, id } = await newDelivery("200");
    const poison = [null, 7, "text", {}, { deliveryId: 5, dueAt: 1 }, { deliveryId: "" }, messageFor("unknown")];
    const result = await consumeBatch([...poison, messageFor(id)]);
    expect([result.outcome, result.retryMessages, result.retryBatch.retry]).toEqual(["ok", [], false]);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("in the dead-letter queues are acked; the sweep still owns the delivery", async () => {
    const { id } = await newDelivery("200");
    const result = await consumeBatch([messageFor(id), { nonsense: true }], "postern-deliveries-dead");
    expect([result.outcome, result.explicitAcks, result.retryMessages]).toEqual(["ok", ["m0", "m1"], []]);
    expect((await deliveryRow(id)).sweep_at).not.toBeNull();
  });
});

describe("leases", () => {
  test("while one holds, no message sends; what its holder writes late changes nothing", async () => {
    const { person, inbox, webhookId, id } = await newDelivery("200");
    const attemptId = newId();
    const { claimed } = await claimDeliveries(deps, as("dead-consumer"), [{ deliveryId: id, attemptId }], Date.now());
    expect(claimed[0]).toMatchObject({ deliveryId: id, attemptCount: 1, payloadJson: "1" });
    await consumeBatch([messageFor(id)]);
    expect(await inbox.received()).toHaveLength(0);
    expect((await logs(person, webhookId)).map((row: { status: string }) => row.status)).toEqual(["pending"]);

    await env.DB.prepare("UPDATE deliveries SET due_at = due_at - 20001, sweep_at = 1 WHERE id = ?").bind(id).run();
    await sweepNow();
    await inbox.arrived(1);
    const rows = await endedAttempts(person, webhookId, 2);
    expect(rows).toMatchObject([
      { status: "success", attemptCount: 1 },
      { status: "failed", error: "interrupted", attemptCount: 1, _id: attemptId },
    ]);
    const before = await deliveryRow(id);
    expect(before).toMatchObject({ attempts: 1, interruptions: 1, due_at: null });
    const late = {
      deliveryId: id,
      attemptId,
      subscriptionId: webhookId,
      responseCode: 500,
      responseBody: "",
      error: "x",
    };
    const outcome = {
      ...late,
      status: "failed" as const,
      startedAt: Date.now(),
      completedAt: Date.now(),
      nextDueAt: null,
      slow: 0 as const,
    };
    expect([...(await recordAttempts(deps, "dead-consumer", [outcome], 0))]).toEqual([]);
    expect(await deliveryRow(id)).toEqual(before);
    expect(await metricsOf(person, webhookId)).toEqual({ total: 2, success: 1, failed: 1, pending: 0 });
  });

  test("a delivery that kills its consumer again and again is given up and told by its id", async () => {
    const { id } = await newDelivery("200");
    const dead = "UPDATE deliveries SET lease = 'dead', interruptions = 5, due_at = 1, sweep_at = 1 WHERE id = ?";
    await env.DB.prepare(dead).bind(id).run();
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await sweepNow();
    const lines = errors.mock.calls.flat().map((line) => JSON.parse(String(line)));
    errors.mockRestore();
    expect(lines).toMatchObject([{ message: "delivery given up: its consumer died each time", deliveryId: id }]);
    expect(await deliveryRow(id)).toMatchObject({ due_at: null, sweep_at: null, lease: null });
  });

  test("a delivery given back leaves no row and no attempt, and can be claimed again", async () => {
    const { person, webhookId, id } = await newDelivery("200");
    const claim = { deliveryId: id, attemptId: newId() };
    await claimDeliveries(deps, as("holder"), [claim], Date.now());
    expect(await metricsOf(person, webhookId)).toMatchObject({ pending: 1 });
    await releaseDeliveries(deps, "holder", [claim], Date.now(), 60_000);
    expect(await logs(person, webhookId)).toEqual([]);
    expect(await metricsOf(person, webhookId)).toEqual({ total: 0, success: 0, failed: 0, pending: 0 });
    expect(await deliveryRow(id)).toMatchObject({ attempts: 0, interruptions: 0, lease: null });
    const again = await claimDeliveries(deps, as("other"), [{ ...claim, attemptId: newId() }], Date.now());
    expect(again.claimed).toHaveLength(1);
  });

  test("a lost message is sent again by the sweep", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    await addDelivery(person, webhookId, { sweepAt: Date.now() - 1 });
    await sweepNow();
    await inbox.arrived(1);
  });
});

describe("stopped subscriptions", () => {
  test("paused: the attempt is recorded as failed and not sent, and the next still comes at its time", async () => {
    const { person, inbox, webhookId, id } = await newDelivery("200", { enabled: false });
    await consumeBatch([messageFor(id)]);
    expect(await inbox.received()).toHaveLength(0);
    expect(await logs(person, webhookId)).toMatchObject([{ status: "failed", error: "paused", attemptCount: 1 }]);
    const row = await deliveryRow(id);
    expect([row.attempts, row.due_at !== null]).toEqual([1, true]);
  });

  test("deleted: nothing is sent, no row is written, the delivery is closed", async () => {
    const { person, inbox, webhookId, id } = await newDelivery("200");
    await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
    await consumeBatch([messageFor(id)]);
    expect(await inbox.received()).toHaveLength(0);
    expect(await deliveryRow(id)).toEqual({ attempts: 0, interruptions: 0, lease: null, due_at: null, sweep_at: null });
    const rows = await env.DB.prepare("SELECT count(*) AS n FROM attempts WHERE subscription_id = ?")
      .bind(webhookId)
      .first();
    expect(rows).toEqual({ n: 0 });
  });
});

test("of a batch whose subscribers answer with what JSON makes six times larger, every attempt is recorded", async () => {
  const { person, webhookId, id } = await newDelivery("zeros");
  const ids = [id, ...(await Promise.all(Array.from({ length: 29 }, () => addDelivery(person, webhookId))))];
  await consumeBatch(ids.map(messageFor));
  expect(await metricsOf(person, webhookId)).toEqual({ total: 30, success: 30, failed: 0, pending: 0 });
});

test("a quick batch costs two round trips", async () => {
  const person = await signUp();
  const inbox = newInbox("200");
  const webhookId = await subscribe(person, inbox.url);
  const ids = await Promise.all(Array.from({ length: 20 }, () => addDelivery(person, webhookId)));
  const calls: string[] = [];
  const counted = new Proxy(env.DB, {
    get: (target, property) => {
      const value = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      if (property === "batch") calls.push("batch");
      return value.bind(target);
    },
  });
  const context = createExecutionContext();
  const { deliver } = await import("../src/delivery/deliver");
  await deliver(await createDeps({ ...env, DB: counted }, context), "fast", ids);
  await waitOnExecutionContext(context);
  expect(calls).toHaveLength(2);
  await eventually("all sent", async () => (await inbox.received()).length === 20);
});

test("a dead letter is logged and acked, and its delivery is due for the next sweep", async () => {
  const person = await signUp();
  const inbox = newInbox("200");
  const id = await addDelivery(person, await subscribe(person, inbox.url));
  const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const result = await consumeBatch([messageFor(id), { of: "unknown shape" }], "postern-deliveries-dead");
  const lines = errors.mock.calls.flat().map((line) => JSON.parse(String(line)));
  errors.mockRestore();
  expect(result.explicitAcks).toHaveLength(2);
  expect(lines.filter((line) => line.message === "dead letter").map((line) => line.deliveryId)).toEqual([
    id,
    undefined,
  ]);
  expect((await deliveryRow(id)).sweep_at).toBeLessThanOrEqual(Date.now());
  await sweepNow();
  await inbox.arrived(1);
});

test("an attempt under way when its subscription is deleted is still recorded, whatever duplicate comes meanwhile", async () => {
  const person = await signUp();
  const webhookId = await subscribe(person, newInbox("200").url);
  const id = await addDelivery(person, webhookId);
  const attemptId = newId();
  const { claimed } = await claimDeliveries(deps, as("holder"), [{ deliveryId: id, attemptId }], Date.now());
  expect(claimed).toHaveLength(1);
  await call("DELETE", `/webhooks/${webhookId}`, { token: person.token });
  await consumeBatch([messageFor(id)]);
  const answer = { status: "success", responseCode: 200, responseBody: "", error: null } as const;
  const ended = { startedAt: Date.now(), completedAt: Date.now(), nextDueAt: null, slow: 0 } as const;
  const result = { deliveryId: id, attemptId, subscriptionId: webhookId, ...answer, ...ended };
  expect(await recordAttempts(deps, "holder", [result], 0)).toEqual(new Set([id]));
});
