/** What one run does when a database fails, hangs or is late, and what it asks of the others. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import type { ShardKey } from "../../src/base/messages";
import { consume } from "../../src/queue";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { MOST_WIDTH } from "../../src/webhooks/delivery/lanes/width";
import { call, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, keyOfNobody, messageFor, outboxRow } from "../support/engine";
import { newInvocation } from "../support/faults/invocation";
import { newInbox, subscribe } from "../support/receiver";
import { answerAll, answerFirst, deliveriesOf, inShard } from "../support/runs";
import { deliveryDb, SHARD } from "../support/shard";

/** The number of a database that fails or hangs. */
const OTHER = 1 - SHARD;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  memory.clear();
});

test("deliveries that are added together are taken when none of them waits for a claim any more", async () => {
  answerAll();
  const [one, other] = await deliveriesOf(await signUpVerified(), 2);
  if (!one || !other) throw new Error("no deliveries");
  const claims = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const { deps, ended } = await controlledDeps(async (name, call) => {
    if (name === "claimDeliveries") await claims[begun++]?.promise;
    return call();
  });
  const run = new DeliveryRun(deps, "fast");
  const taken: string[] = [];
  const first = run.add(inShard([one])).then(() => taken.push("one"));
  const both = run.add(inShard([one, other])).then(() => taken.push("other"));
  await run.add(inShard([one]));
  expect(taken).toEqual([]);
  claims[0]?.resolve();
  await first;
  expect(taken).toEqual(["one"]);
  claims[1]?.resolve();
  await both;
  await run.finished();
  await ended();
});

describe("a batch that mixes databases", () => {
  /** Handles a batch with one delivery of a healthy database and one of another, whose calls do `fault`. */
  async function handleMixed(fault: () => Promise<never>) {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [key] = await deliveriesOf(await signUpVerified(), 1);
    if (!key) throw new Error("no delivery");
    const { deps, ended } = await controlledDeps();
    const broken = createDb({ prepare: (sql: string) => env.DB.prepare(sql), batch: fault } as unknown as D1Database, {
      trips: 0,
      sqlMs: 0,
      rowsWritten: 0,
    });
    const healthy = deps.shards.db(SHARD);
    const shards = { ...deps.shards, db: (shard: number) => (shard === OTHER ? broken : healthy) };
    const retried: string[] = [];
    const messages = [{ shard: OTHER, due: [keyOfNobody()] }, messageFor(key)].map((body) => ({
      id: body.shard === OTHER ? "broken" : "healthy",
      body,
      ack: () => undefined,
      retry: () => retried.push(body.shard === OTHER ? "broken" : "healthy"),
    }));
    const batch = { queue: "postern-deliveries", messages } as unknown as MessageBatch;
    const handled = consume({ ...deps, shards }, batch);
    return { key, handled, ended, retried };
  }

  test("retries only the messages of the one that fails", async () => {
    const sent = answerAll();
    const { key, handled, ended, retried } = await handleMixed(() => Promise.reject(new Error("D1 is down")));
    await handled;
    await ended();
    expect([sent, retried]).toEqual([[key.id], ["broken"]]);
  });

  test("sends what the healthy one has while the other hangs, which counts as failed after a time", async () => {
    const arrived = answerFirst();
    const { key, handled, ended, retried } = await handleMixed(() => Promise.withResolvers<never>().promise);
    let isHandled = false;
    const end = handled.then(() => {
      isHandled = true;
    });
    expect(await arrived).toBe(key.id);
    expect([isHandled, retried]).toEqual([false, []]);
    await end;
    await ended();
    expect(retried).toEqual(["broken"]);
  });
});

describe("claims that are answered late", () => {
  test("lose nothing: what they have claimed is sent, and the next claims of the run are smaller", async () => {
    const sent = answerAll();
    const keys = await deliveriesOf(await signUpVerified(), 100);
    for (const { subscriptionId } of keys) {
      memory.latenciesMs.set(subscriptionId, 1);
      memory.widths.set(subscriptionId, { width: 100, narrowUntil: 0 });
    }
    // What is claimed late has half a second to start, also on a slow machine.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    let claims = 0;
    const controlled = await controlledDeps(async (name, call) => {
      const answer = await call();
      if (name === "claimDeliveries") {
        claims += 1;
        controlled.turn(1_600);
      }
      return answer;
    });
    const run = new DeliveryRun(controlled.deps, "fast");
    expect(await run.add(keys.map((key) => ({ ...key, shard: SHARD })))).toEqual([]);
    await run.finished();
    await controlled.ended();
    expect(sent.length).toBeGreaterThan(50);
    expect(sent.length + controlled.queued.length).toBe(100);
    expect(claims).toBeGreaterThan(2);
  });
});

/** A delivery, and one whose subscription was deleted, which an ordinary claim leaves. */
async function keyAndOrphan(): Promise<{ key: ShardKey; orphan: ShardKey }> {
  const person = await signUpVerified();
  const deletedId = await subscribe(person, newInbox("200").url);
  const keys = inShard([...(await deliveriesOf(person, 1)), await addDelivery(person, deletedId)]);
  await call("DELETE", `/webhooks/${deletedId}`, { token: person.token });
  const [key, orphan] = keys;
  if (!key || !orphan) throw new Error("no deliveries");
  return { key, orphan };
}

describe("a claim", () => {
  test("is followed by a thorough one of what it left, which what it has claimed does not wait for", async () => {
    const { key, orphan } = await keyAndOrphan();
    const arrived = answerFirst();
    let claims = 0;
    const { deps, ended } = await controlledDeps(async (name, claim) => {
      if (name === "claimDeliveries") claims += 1;
      if (name === "claimDeliveries" && claims === 2) await arrived;
      return claim();
    });
    const run = new DeliveryRun(deps, "fast");
    expect(await run.add([orphan, key])).toEqual([]);
    await run.finished();
    await ended();
    expect([await arrived, claims]).toEqual([key.id, 2]);
    expect(await outboxRow(orphan)).toBeNull();
  });

  test("that fails after an ordinary one fails only what that one left", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const sent = answerAll();
    const { key, orphan } = await keyAndOrphan();
    let claims = 0;
    const { deps, ended } = await controlledDeps((name, claim) => {
      if (name === "claimDeliveries") claims += 1;
      return name === "claimDeliveries" && claims > 1 ? Promise.reject(new Error("D1 is down")) : claim();
    });
    const run = new DeliveryRun(deps, "fast");
    expect(await run.add([key, orphan])).toEqual([orphan]);
    await run.finished();
    await ended();
    expect(sent).toEqual([key.id]);
  });
});

test("a run whose first deliveries have no place, because their receiver is silent, takes those of later messages", async () => {
  const sent = answerAll();
  const [silent, other] = inShard(await deliveriesOf(await signUpVerified(), 2));
  if (!silent || !other) throw new Error("no deliveries");
  const { deps, ended } = await controlledDeps();
  memory.loads.set(silent.subscriptionId, { active: 1, silentSinceMs: 1 });
  memory.places.ofSubscriptions.set(silent.subscriptionId, MOST_WIDTH);
  const run = new DeliveryRun(deps, "fast");
  expect(await run.add([silent])).toEqual([]);
  memory.clear();
  expect(await run.add([other])).toEqual([]);
  await run.finished();
  await ended();
  expect(sent).toContain(other.id);
});

test("five sends that hang leave a connection for the database: what they hold up is handed back", async () => {
  // As the platform does, which opens six connections for an invocation.
  const { connect } = newInvocation("consumer");
  const hung = Promise.withResolvers<Response>();
  vi.stubGlobal("fetch", async () => {
    await connect();
    return hung.promise;
  });
  const keys = await deliveriesOf(await signUpVerified(), 8);
  const released = Promise.withResolvers<void>();
  const { deps, ended } = await controlledDeps(async (name, call) => {
    const close = await connect();
    const answer = await call().finally(close);
    if (name === "releaseDeliveries") released.resolve();
    return answer;
  });
  const run = new DeliveryRun(deps, "fast");
  await run.add(inShard(keys));
  await released.promise;
  hung.resolve(new Response("done"));
  await run.finished();
  await ended();
});

test("deliveries of many subscriptions go to their lanes in one round trip", async () => {
  answerAll();
  const person = await signUpVerified();
  const keys = [...(await deliveriesOf(person, 1)), ...(await deliveriesOf(person, 1))];
  await deliveryDb
    .prepare("UPDATE subscriptions SET held_until = ? WHERE tenant_id = ?")
    .bind(Date.now() + 60_000, person.tenantId)
    .run();
  const calls: string[] = [];
  const { deps, ended } = await controlledDeps((name, call) => {
    calls.push(name);
    return call();
  });
  const run = new DeliveryRun(deps, "fast");
  await run.add(keys.map((key) => ({ ...key, shard: SHARD })));
  await run.finished();
  await ended();
  expect(calls.filter((name) => name === "moveToLanes")).toHaveLength(1);
  const { results } = await deliveryDb
    .prepare("SELECT queue = subscription_id AS isInLane FROM outbox WHERE tenant_id = ?")
    .bind(person.tenantId)
    .all();
  expect(results).toEqual([{ isInLane: 1 }, { isInLane: 1 }]);
});
