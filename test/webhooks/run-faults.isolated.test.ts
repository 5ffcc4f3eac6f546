/** What one run does when a call to a database or a throttle fails, hangs or is late. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import type { Deps } from "../../src/base/deps";
import { DeliveryRun } from "../../src/webhooks/delivery/deliver";
import { coolDownHere, memory } from "../../src/webhooks/delivery/isolate-memory";
import { askSchedule } from "../../src/webhooks/delivery/throttling/demand";
import { signUp, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, keyOfNobody, outboxRow } from "../support/engine";
import { faultyDatabase } from "../support/faults/bindings";
import { newInbox, subscribe } from "../support/receiver";
import { answerAll, answerFirst, deliveriesOf, inShard } from "../support/runs";
import { SHARD } from "../support/shard";

/** The number of another database. */
const OTHER = 1 - SHARD;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  memory.clear();
});

describe("when a call to the database does not succeed", () => {
  test("a failed claim holds nothing up that was claimed before and starts later", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const sent = answerAll();
    const person = await signUpVerified();
    const options = { delivery: { rateLimit: { limit: 10, per: "second" } } };
    const webhookId = await subscribe(person, newInbox("200").url, options);
    const limited = [await addDelivery(person, webhookId), await addDelivery(person, webhookId)];
    const others = await deliveriesOf(person, 1);
    let claims = 0;
    const { deps, ended } = await controlledDeps((name, call) => {
      if (name === "claimDeliveries") claims += 1;
      return name === "claimDeliveries" && claims > 1 ? Promise.reject(new Error("D1 is down")) : call();
    });
    const run = new DeliveryRun(deps, "fast");
    expect(await run.add(inShard(limited))).toEqual([]);
    expect(await run.add(inShard(others))).toEqual(inShard(others));
    await run.finished();
    await ended();
    expect(sent.toSorted()).toEqual(limited.map(({ id }) => id).toSorted());
  });

  test("a record that hangs is given up, and later results of the run are recorded", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    answerAll();
    const person = await signUpVerified();
    const [first, second] = [await deliveriesOf(person, 1), await deliveriesOf(person, 1)];
    let records = 0;
    const hanging = Promise.withResolvers<void>();
    const { deps, ended } = await controlledDeps((name, call) => {
      if (name === "recordAttempts") records += 1;
      if (name !== "recordAttempts" || records > 1) return call();
      hanging.resolve();
      return Promise.withResolvers<never>().promise;
    });
    const run = new DeliveryRun(deps, "fast");
    await run.add(inShard(first));
    await hanging.promise;
    await run.add(inShard(second));
    await run.finished();
    await ended();
    const open = await Promise.all([...first, ...second].map(outboxRow));
    expect(open.map((row) => row !== null)).toEqual([true, false]);
  });

  test("a release that hangs takes up no place of the run", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.stubGlobal("fetch", () => Promise.reject(new Error("internal error; reference = 0")));
    const keys = await deliveriesOf(await signUpVerified(), 6);
    const hanging = Promise.withResolvers<void>();
    const { deps, ended } = await controlledDeps(async (name, call) => {
      if (name === "releaseDeliveries") await hanging.promise;
      return call();
    });
    const run = new DeliveryRun({ ...deps, config: { ...deps.config, webhookEgress: "public" } }, "fast");
    await run.add(inShard(keys));
    await run.finished();
    hanging.resolve();
    await ended();
    const rows = await Promise.all(keys.map(outboxRow));
    expect(rows.map((row) => row?.attempts)).toEqual(keys.map(() => 0));
  });

  test("a run ends although the control plane never says whether owners are verified", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    answerAll();
    const keys = await deliveriesOf(await signUp(), 1);
    const { deps, ended } = await controlledDeps();
    const never: Deps["db"] = createDb(faultyDatabase(env.DB, { call: () => Promise.withResolvers<never>().promise }), {
      trips: 0,
      sqlMs: 0,
      rowsWritten: 0,
    });
    const run = new DeliveryRun({ ...deps, db: never }, "fast");
    await run.add(inShard(keys));
    await run.finished();
    await ended();
  });

  test("one that does not read subscriptions again holds up no deliveries of another database", async () => {
    const arrived = answerFirst();
    const [held, key] = await deliveriesOf(await signUpVerified(), 2);
    if (!held || !key) throw new Error("no deliveries");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const hanging = Promise.withResolvers<void>();
    let claims = 0;
    const healthy = await controlledDeps((_, call) => afterClaims(call));
    const broken = await controlledDeps(async (name, call) => {
      if (name === "readTargets") await hanging.promise;
      return afterClaims(call);
    });
    /** Makes both claims late, so that their subscriptions are read again. */
    async function afterClaims<T>(call: () => Promise<T>): Promise<T> {
      claims += 1;
      await scheduler.wait(0);
      if (claims === 2) healthy.turn(1_200);
      if (claims === 2) claims += 1;
      return call();
    }
    const db = (shard: number) => (shard === OTHER ? broken : healthy).deps.shards.db(shard);
    const deps = { ...healthy.deps, shards: { ...healthy.deps.shards, db } };
    const run = new DeliveryRun(deps, "fast");
    await run.add([
      { ...held, shard: OTHER },
      { ...key, shard: SHARD },
    ]);
    expect(await arrived).toBe(key.id);
    hanging.resolve();
    await run.finished();
    await healthy.ended();
  });
});

test("a delivery that is held while its throttle is asked keeps no permit", async () => {
  const person = await signUpVerified();
  const webhookId = await subscribe(person, newInbox("200").url, { delivery: { maxConcurrent: 1 } });
  const keys = inShard([await addDelivery(person, webhookId)]);
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { deps, ended } = await controlledDeps();
  const throttles = {
    idFromName: (name: string) => deps.throttles.idFromName(name),
    get: (id: DurableObjectId) => ({
      schedule: async (...given: Parameters<ReturnType<typeof deps.throttles.get>["schedule"]>) => {
        asked.resolve();
        await answered.promise;
        return deps.throttles.get(id).schedule(...given);
      },
    }),
  } as unknown as typeof deps.throttles;
  const run = new DeliveryRun({ ...deps, throttles }, "fast");
  await run.add(keys);
  await asked.promise;
  coolDownHere(webhookId, deps.now() + 60_000, deps.now());
  await run.add(inShard([keyOfNobody()]));
  answered.resolve();
  await run.finished();
  await ended();
  const demands = [{ id: crypto.randomUUID(), priority: "new" as const }];
  const asks = { demands, ended: [], called: [], holder: "another run", latestMs: deps.now() + 1_000 };
  const subscription = { shard: SHARD, subscriptionId: webhookId };
  expect(await askSchedule(deps, subscription, { maxConcurrent: 1 }, asks)).toMatchObject([{ kind: "start" }]);
});
