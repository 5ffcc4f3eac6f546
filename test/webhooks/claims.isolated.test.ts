/**
 * The consumer between a message and its sends: what it waits for, how much it sends at once, and what it reads again
 * before a send.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Deps } from "../../src/base/deps";
import { consume } from "../../src/queue";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { startSend } from "../../src/webhooks/delivery/send-load";
import { PATIENCE_MS, RETRY_AFTER_RUNTIME_FAULT_MS } from "../../src/webhooks/plane/timing";
import { call, eventually, logIn, type Person, signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, consumeBatch, type Key, messageFor, newDelivery, outboxRow } from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

/** Longer than the handler waits for sends. */
const CLAIM_MS = 200;
/** A target is read again before a send that starts later than this after its claim. */
const STALE_MS = 1_200;

// The clock stands still: otherwise a busy machine could hand back what has not started in time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Hands a batch to the consumer. `onRetry` learns of each message that returns to the queue. */
const handle = (deps: Deps, bodies: readonly unknown[], onRetry: () => void = () => undefined) =>
  consume(deps, {
    queue: "postern-deliveries",
    messages: bodies.map((body, index) => ({ id: `m${index}`, body, ack: () => undefined, retry: onRetry })),
  } as unknown as MessageBatch);

/** Lets this isolate expect about `latencyMs` of the next send of a subscription. */
function learnLatency(subscriptionId: string, latencyMs: number): void {
  let nowMs = 0;
  for (let sends = 0; sends < 10; sends += 1) {
    const end = startSend(subscriptionId, () => nowMs);
    nowMs += latencyMs;
    end();
  }
}

const attemptsOf = async (webhookId: string) =>
  (
    await deliveryDb
      .prepare("SELECT status, error FROM attempts WHERE subscription_id = ? AND status <> 'moved'")
      .bind(webhookId)
      .all<{ status: string; error: string | null }>()
  ).results;

/** A verified owner with deliveries that are due, each to a subscription of its own. */
async function deliveriesOf(count: number): Promise<{ person: Person; keys: Key[] }> {
  const person = await logIn(await signUp());
  const keys: Key[] = [];
  for (let made = 0; made < count; made += 1) {
    keys.push(await addDelivery(person, await subscribe(person, newInbox("200").url)));
  }
  return { person, keys };
}

describe("the handler of a batch", () => {
  test("does not end, and so does not ack, before its claim has answered", async () => {
    const { key } = await newDelivery("200");
    const order: string[] = [];
    const { deps, ended } = await controlledDeps(async (name, claim) => {
      if (name !== "claimDeliveries") return claim();
      await scheduler.wait(CLAIM_MS);
      order.push("claim failed");
      throw new Error("D1 is down");
    });
    await handle(deps, [messageFor(key)], () => order.push("message retried"));
    order.push("handler ended");
    await ended();
    expect(order).toEqual(["claim failed", "message retried", "handler ended"]);
  });

  test("ends when its sends have started, without waiting for an answer or a timer", async () => {
    const { keys } = await deliveriesOf(5);
    const { deps, ended } = await controlledDeps();
    const answer = Promise.withResolvers<void>();
    let sent = 0;
    vi.stubGlobal("fetch", async () => {
      sent += 1;
      await answer.promise;
      return new Response("done");
    });
    const timers = vi.spyOn(scheduler, "wait").mockReturnValue(Promise.withResolvers<void>().promise);
    await handle(
      deps,
      keys.map((key) => messageFor(key)),
    );
    timers.mockRestore();
    answer.resolve();
    await ended();
    expect(sent).toBe(5);
  });

  test("sends five at most at once, so that one connection is free for D1, of the messages that are due and those that are early together", async () => {
    vi.useRealTimers();
    const { keys } = await deliveriesOf(14);
    for (const { subscriptionId } of keys) learnLatency(subscriptionId, 1);
    const dueAt = Date.now() + 300;
    const early = keys.slice(8).map((key) => ({ ...key, dueAt }));
    await deliveryDb
      .prepare("UPDATE outbox SET due_at = ? WHERE id IN (SELECT value FROM json_each(?))")
      .bind(dueAt, JSON.stringify(early.map(({ id }) => id)))
      .run();
    let inFlight = 0;
    const inFlightAtStart: number[] = [];
    vi.stubGlobal("fetch", async () => {
      inFlight += 1;
      inFlightAtStart.push(inFlight);
      await scheduler.wait(400);
      inFlight -= 1;
      return new Response("done");
    });
    // Its queues keep what is handed back, which another run would send beside these.
    const { deps, ended } = await controlledDeps();
    await handle(deps, [messageFor(...keys.slice(0, 8)), messageFor(...early)]);
    await ended();
    expect(Math.max(...inFlightAtStart)).toBe(5);
  });

  test("sends what is early by a moment although the timer ends before its time", async () => {
    const { keys } = await deliveriesOf(1);
    const dueAt = Date.now() + 50;
    await deliveryDb.prepare("UPDATE outbox SET due_at = ? WHERE id = ?").bind(dueAt, keys[0]?.id).run();
    let sent = 0;
    vi.stubGlobal("fetch", async () => {
      sent += 1;
      return new Response("done");
    });
    const wait = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
      vi.setSystemTime(Date.now() + (ms === 50 ? ms - 1 : ms));
    });
    const { deps, ended } = await controlledDeps();
    await handle(deps, [messageFor(...keys.map((key) => ({ ...key, dueAt })))]);
    await ended();
    wait.mockRestore();
    expect(sent).toBe(1);
  });

  test("sends the deliveries of several messages in turns, so that a tenant with many does not hold up another", async () => {
    const [{ keys: many }, { keys: few }] = [await deliveriesOf(12), await deliveriesOf(1)];
    const sent: (string | null)[] = [];
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      sent.push(new Headers(init.headers).get("webhook-id"));
      return new Response("done");
    });
    await consumeBatch([messageFor(...many), messageFor(...few)]);
    expect(sent).toHaveLength(13);
    expect(sent.slice(0, 5)).toContain(few[0]?.id);
  });

  test("passes on what waits while none of its sends ends, and nothing while they do", async () => {
    const { person, webhookId, key } = await newDelivery("200");
    const keys = [key];
    while (keys.length < 80) keys.push(await addDelivery(person, webhookId));
    memory.widths.set(webhookId, { width: 80, narrowUntil: 0 });
    learnLatency(webhookId, 1);
    const answers = Promise.withResolvers<void>();
    let sent = 0;
    vi.stubGlobal("fetch", async () => {
      sent += 1;
      await answers.promise;
      return new Response("done");
    });
    const held = await controlledDeps();
    await handle(held.deps, [messageFor(...keys.slice(0, 20))]);
    await eventually("the first sends", async () => sent === 5);
    held.turn(PATIENCE_MS);
    await eventually("the others", async () => held.queued.length === 15);
    answers.resolve();
    await held.ended();
    learnLatency(webhookId, 1);
    const quick = await controlledDeps();
    await handle(quick.deps, [messageFor(...keys.slice(20))]);
    await quick.ended();
    expect([sent, quick.queued]).toEqual([65, []]);
  });
});

type Fault = <T>(read: () => Promise<T>, turn: (ms: number) => void) => Promise<T>;

/** Delivers one delivery whose claim takes so long that its subscription is read again, with `fault`. */
async function deliverStale(key: Key, onClaimed: () => Promise<unknown>, fault: Fault = (read) => read()) {
  const controlled = await controlledDeps(async (name, effect) => {
    if (name === "readTargets") return fault(effect, controlled.turn);
    const answer = await effect();
    if (name === "claimDeliveries") {
      await onClaimed();
      controlled.turn(STALE_MS);
    }
    return answer;
  });
  const run = new DeliveryRun(controlled.deps, "fast");
  await run.add([{ ...key, shard: SHARD }]);
  await run.finished();
  await controlled.ended();
  return controlled;
}

describe("a subscription that changes between the claim and the send", () => {
  test("is not sent to when it was paused", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    await deliverStale(key, () => call("POST", `/webhooks/${webhookId}/pause`, { token: person.token }));
    expect(await attemptsOf(webhookId)).toEqual([{ status: "failed", error: "paused" }]);
    expect(await inbox.received()).toEqual([]);
  });

  test("is not sent to when it was deleted, and its delivery has no attempt", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    await deliverStale(key, () => call("DELETE", `/webhooks/${webhookId}`, { token: person.token }));
    expect(await attemptsOf(webhookId)).toEqual([]);
    expect(await inbox.received()).toEqual([]);
  });

  test("is sent to at its new URL, signed with its new secret", async () => {
    const { person, inbox, webhookId, key } = await newDelivery("200");
    const moved = newInbox("200");
    const unchanged = newInbox("200");
    const other = await subscribe(person, unchanged.url, { secret: "new" });
    const body = { url: moved.url, secret: "new" };
    await deliverStale(key, () => call("PATCH", `/webhooks/${webhookId}`, { token: person.token, body }));
    await consumeBatch([messageFor(await addDelivery(person, other))]);
    const [[received], [expected]] = [await moved.arrived(1), await unchanged.arrived(1)];
    expect(received?.headers["x-webhook-signature"]).toBe(expected?.headers["x-webhook-signature"]);
    expect(await inbox.received()).toEqual([]);
  });

  test("is read again; if that takes two seconds or fails, the delivery is queued again without an attempt", async () => {
    const slow: Fault = async (read, turn) => {
      turn(2_000);
      return read();
    };
    const failing: Fault = () => Promise.reject(new Error("D1 is down"));
    for (const fault of [slow, failing]) {
      const { inbox, webhookId, key } = await newDelivery("200");
      const { queued } = await deliverStale(key, () => Promise.resolve(), fault);
      expect([queued, await attemptsOf(webhookId)]).toEqual([[key.id], []]);
      expect(await inbox.received()).toEqual([]);
    }
  });
});

describe("an internal error of the runtime", () => {
  test("twice in a row uses up no attempt, and the delivery is due again after 30 seconds", async () => {
    const { webhookId, key } = await newDelivery("200");
    let requests = 0;
    vi.stubGlobal("fetch", async () => {
      requests += 1;
      throw new Error("internal error; reference = 0");
    });
    const { deps, ended } = await controlledDeps();
    const before = deps.now();
    const run = new DeliveryRun({ ...deps, config: { ...deps.config, webhookEgress: "public" } }, "fast");
    await run.add([{ ...key, shard: SHARD }]);
    await run.finished();
    await ended();
    expect([requests, await attemptsOf(webhookId)]).toEqual([2, []]);
    const row = await outboxRow(key);
    expect(row?.attempts).toBe(0);
    expect(row?.due_at).toBeGreaterThanOrEqual(before + RETRY_AFTER_RUNTIME_FAULT_MS);
  });

  test("twice in a row is a failed attempt in local development, where an unknown host causes it", async () => {
    expect(env.WEBHOOK_EGRESS).toBe("any");
    const { person, webhookId, key } = await newDelivery("200");
    vi.stubGlobal("fetch", () => Promise.reject(new Error("internal error; reference = 0")));
    await consumeBatch([messageFor(key)]);
    const [row] = await endedAttempts(person, webhookId, 1);
    expect(row.error).toBe("connection failed: unknown host or no TLS");
  });
});
