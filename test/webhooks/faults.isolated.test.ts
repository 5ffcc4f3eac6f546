/**
 * Faults of the service cost nobody anything. Each schedule comes from a seed. Its remote calls fail before or after
 * their effect, or take two seconds, and its queue messages are lost, doubled, late and out of order. In half of the
 * schedules, invocations are also killed and D1 is down. Each run has schedules that are always the same, twice as many
 * new ones, and more until every call has had every fault. A schedule takes 80 ms of CPU. `FAULT_SEEDS=1-1000` runs a
 * thousand, and `FAULT_SEEDS=7` the one that failed.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { databaseIn } from "../support/faults/database";
import { type Coverage, FAULTS } from "../support/faults/faults";
import { CALLS, focusOf, runSchedule, themeOf } from "../support/faults/schedule";

/** Ranges of numbers, such as "1-100,2000-2099". */
const SEEDS = env.FAULT_SEEDS.split(",").flatMap((range) => {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
});
/** A run of fewer schedules need not have every fault. */
const COMPLETE = 100;
/** Where a run that misses a fault gives up. */
const MOST = 1_000;

/** The faults that no schedule has had yet. */
const missing = (coverage: Coverage) =>
  CALLS.flatMap((call) => FAULTS.filter((fault) => !coverage.get(call)?.get(fault)).map((fault) => ({ call, fault })));

/** After `SEEDS`, those about a call that lacks a fault. */
function* seeds(coverage: Coverage): Generator<number> {
  yield* SEEDS;
  if (SEEDS.length < COMPLETE) return;
  let ran = SEEDS.length;
  for (let seed = (SEEDS.at(-1) ?? 0) + 1; ran < MOST && missing(coverage).length > 0; seed += 1) {
    if (!missing(coverage).some(({ call }) => call === focusOf(seed))) continue;
    ran += 1;
    yield seed;
  }
}

test("when any call fails or is slow, invocations are killed and D1 is down, each accepted event is delivered or explained, counted right, and sent once", async () => {
  const coverage: Coverage = new Map();
  const runAll = async (storage: DurableObjectStorage) => {
    const database = databaseIn(storage);
    for (const seed of seeds(coverage)) {
      const { violations, history } = await runSchedule(database, seed, themeOf(seed), coverage);
      if (violations.length > 0) return `seed ${seed}: ${violations.join("; ")}\n${history.join("\n")}`;
    }
    return null;
  };
  const object = env.SWEEPER.get(env.SWEEPER.idFromName("schedules"));
  expect(await runInDurableObject(object, (_, { storage }) => runAll(storage))).toBeNull();
  expect(SEEDS.length < COMPLETE ? [] : missing(coverage)).toEqual([]);
}, 300_000);
