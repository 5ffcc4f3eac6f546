/** Jobs end by themselves, before the platform ends them: within their calls to D1 and their CPU time. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { BACKGROUND_MS } from "../../src/service/imports/imports";
import { continueMoves } from "../../src/service/moves/continue";
import { budget, RUN_MS } from "../../src/service/upkeep/run-jobs";
import { REPLAYS_MS } from "../../src/webhooks/resend/replays/continue";
import { type Person, signUpVerified } from "../support/client";
import { depsOf, move } from "../support/moves";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const files = import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true });
const newDb = SHARD === 0 ? env.SHARD_1 : env.DB;

test("what runs in the background takes less time than cpu_ms, so that it is never ended within a page", () => {
  const cpuMs = Number(/^cpu_ms = ([\d_]+)$/m.exec(String(Object.values(files)[0]))?.[1]?.replaceAll("_", ""));
  expect(cpuMs).toBeGreaterThan(0);
  // A sweep also publishes the events of the platform, for three seconds.
  expect(Math.max(RUN_MS, BACKGROUND_MS, REPLAYS_MS + 3_000)).toBeLessThan(cpuMs);
});

describe("moves whose former database is kept", () => {
  const people: (Person & { webhookId: string })[] = [];

  beforeAll(async () => {
    for (let count = 0; count < 4; count += 1) {
      const person = await signUpVerified();
      const webhookId = await subscribe(person, newInbox("200").url);
      await move(person);
      people.push({ ...person, webhookId });
    }
  }, 60_000);

  /** Continues the moves from the cursor, with so many calls. */
  async function continued(cursor: string, calls: number) {
    const { deps, ended } = await depsOf();
    const before = deps.trips.trips;
    const next = await continueMoves(deps, 0, cursor, budget(deps, calls, 60_000));
    const made = deps.trips.trips - before;
    await ended();
    return { next, calls: made };
  }

  test("cost three calls a minute each while nothing changes", async () => {
    expect(await continued("", 1_000)).toEqual({ next: null, calls: 1 + 3 * people.length });
  });

  test("are continued in as many runs as it takes, each within its calls", async () => {
    const runs: { next: string | null; calls: number }[] = [];
    for (let cursor: string | null = ""; cursor !== null && runs.length < 10; cursor = runs.at(-1)?.next ?? null) {
      runs.push(await continued(cursor, 6));
    }
    const ids = people.map(({ tenantId }) => tenantId).sort();
    // Each run reads which moves are open, and continues two of them.
    expect(runs.map(({ next }) => next)).toEqual([ids[1], null]);
    expect(Math.max(...runs.map(({ calls }) => calls))).toBeLessThanOrEqual(7);
  });

  test("still bring a copy up to date that a request has left behind", async () => {
    const [{ webhookId }] = people as [Person & { webhookId: string }];
    const update = "UPDATE subscriptions SET name = 'later', version = version + 1 WHERE id = ?";
    await newDb.prepare(update).bind(webhookId).run();
    await continued("", 1_000);
    const name = await deliveryDb.prepare("SELECT name FROM subscriptions WHERE id = ?").bind(webhookId).first("name");
    expect(name).toBe("later");
  });
});
