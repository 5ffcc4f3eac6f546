/**
 * Faults of the service cost nobody anything. Each schedule comes from a seed. Its remote calls fail before or after
 * their effect, or take two seconds, and its queue messages are lost, doubled, late and out of order. In half of the
 * schedules, invocations are also killed and D1 is down. `FAULT_SEEDS=7-7` runs the schedules of other seeds than the
 * first thousand.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { databaseIn } from "../support/faults/database";
import { type Coverage, FAULTS } from "../support/faults/faults";
import { CALLS, runSchedule, type Theme } from "../support/faults/schedule";

const [FIRST_SEED, LAST_SEED] = env.FAULT_SEEDS.split("-").map(Number) as [number, number];
const THEMES: readonly [Theme, Theme] = ["crashes", "calls"];

test("when any call fails or is slow, invocations are killed and D1 is down, each accepted event is delivered or explained, counted right, and sent once", async () => {
  const coverage: Coverage = new Map();
  const runAll = async (storage: DurableObjectStorage) => {
    const database = databaseIn(storage);
    for (let seed = FIRST_SEED; seed <= LAST_SEED; seed += 1) {
      const { violations, history } = await runSchedule(database, seed, THEMES[seed % 2] ?? "calls", coverage);
      if (violations.length > 0) return `seed ${seed}: ${violations.join("; ")}\n${history.join("\n")}`;
    }
    return null;
  };
  const object = env.SWEEPER.get(env.SWEEPER.idFromName("schedules"));
  expect(await runInDurableObject(object, (_, { storage }) => runAll(storage))).toBeNull();
  if (LAST_SEED - FIRST_SEED < 999) return;
  const missing = CALLS.flatMap((name) =>
    FAULTS.filter((fault) => !coverage.get(name)?.get(fault)).map((fault) => `${name}: ${fault}`),
  );
  expect(missing).toEqual([]);
}, 300_000);
