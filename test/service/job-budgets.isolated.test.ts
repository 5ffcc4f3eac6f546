/**
 * Jobs end by themselves, before the platform ends them: within their calls to D1 and their CPU time. And what they
 * read follows what is due.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { fillDatabase } from "../../.scripts/bench/full-database";
import { noteSize } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import { BACKGROUND_MS } from "../../src/service/imports/imports";
import { continueMoves } from "../../src/service/moves/continue";
import { budget, type Job, PAGE_CALLS, RUN_MS } from "../../src/service/upkeep/run-jobs";
import { JOBS } from "../../src/upkeep";
import { REPLAYS_MS } from "../../src/webhooks/resend/replays/continue";
import { type Person, signUpVerified } from "../support/client";
import { depsOf, move } from "../support/moves";
import { newInbox, subscribe } from "../support/receiver";
import { reading, sumOf } from "../support/rows-read";
import { deliveryDb, SHARD } from "../support/shard";
import { unpaused } from "../support/upkeep";

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

describe("in a database with 800 tenants and ten times as many events", () => {
  const TENANTS = 800;

  beforeAll(() => fillDatabase(env.DB, TENANTS, Date.now()), 60_000);

  /** Runs a job to its end. Returns what it has read, and its most calls without asking whether its turn is over. */
  async function wholeRun({ run }: Job) {
    const { database, rowsRead } = reading(env.DB);
    const context = createExecutionContext();
    // So little that nearly all databases are counted.
    const deps = unpaused(await createDeps({ ...env, DB: database, TENANT_STORED_MIB: "1" }, context));
    await noteSize(deps.db, 0, 1, 1);
    const before = sumOf(rowsRead);
    let [asked, most] = [deps.trips.trips, 0];
    const isOver = () => {
      most = Math.max(most, deps.trips.trips - asked);
      asked = deps.trips.trips;
      // The objects make each run in an invocation of its own.
      deps.trips.statements = 0;
      return false;
    };
    for (let cursor: string | null = ""; cursor !== null; ) cursor = await run(deps, 0, cursor, isOver);
    isOver();
    await waitOnExecutionContext(context);
    return { rowsRead: sumOf(rowsRead) - before, most };
  }

  /** What looks at every subscription or tenant, and how many rows it may read in an hour for each. */
  const ROWS_A_TENANT: Record<string, number> = {
    // `/metrics` shows how many subscriptions are in each state, and the hour of each.
    countTotals: 1.1,
    removeOldAttempts: 0.4,
    removeOldHours: 0.1,
    removeOldAudit: 0.1,
  };
  /** What every job may read in an hour besides, however many tenants there are. */
  const ROWS = 500;
  /** Seven a minute for each of the moves above. */
  const ROWS_OF_MOVES = 4 * 7 * 60;

  test.each(Object.entries(JOBS))("%s asks often enough, and reads little where nothing is due", async (name, job) => {
    const first = await wholeRun(job);
    const next = await wholeRun(job);
    expect(Math.max(first.most, next.most)).toBeLessThanOrEqual(PAGE_CALLS);
    const runsAnHour = job.every === "minute" ? 60 : 1 / (job.everyHours ?? 1);
    const atMost = (name === "continueMoves" ? ROWS_OF_MOVES : ROWS) + (ROWS_A_TENANT[name] ?? 0) * TENANTS;
    expect(next.rowsRead * runsAnHour).toBeLessThanOrEqual(atMost);
  });
});
