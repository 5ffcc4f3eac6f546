/**
 * The Worker under test with a D1 binding that counts, and with upkeep that begins all of its jobs each hour. For the
 * counting pass and for what is compared with itself beside upkeep; the other timed passes run the Worker as it ships.
 */
import worker, { Sweeper as UncountedSweeper } from "../../src";
import { keepCalls, keepTrip, kept, replay } from "./replayed-calls.mjs";

export * from "../../src";

const none = () => ({ trips: 0, rowsRead: 0, rowsWritten: 0 });
const counters = { http: none(), queue: none(), sweep: none() };

function countRows(counter, { meta }) {
  counter.rowsRead += meta.rows_read;
  counter.rowsWritten += meta.rows_written;
}

/** `first` and `raw` return no meta, so they use `all`. */
function countedStatement(statement, counter, text, values = []) {
  const all = async () => {
    counter.trips += 1;
    keepTrip([{ text, values }]);
    const result = await statement.all();
    countRows(counter, result);
    return result;
  };
  return {
    inner: statement,
    kept: { text, values },
    bind: (...bound) => countedStatement(statement.bind(...bound), counter, text, bound),
    all,
    run: all,
    first: async (column) => {
      const [row = null] = (await all()).results;
      return row && column !== undefined ? row[column] : row;
    },
    raw: async () => (await all()).results.map((row) => Object.values(row)),
  };
}

const counted = (env, counter) => ({
  ...kept(env),
  DB: {
    prepare: (query) => countedStatement(env.DB.prepare(query), counter, query),
    async batch(statements) {
      counter.trips += 1;
      keepTrip(statements.map(({ kept }) => kept));
      const results = await env.DB.batch(statements.map(({ inner }) => inner));
      for (const result of results) countRows(counter, result);
      return results;
    },
  },
});

/** The jobs that the scenes wait for, and that begin in a few hours of a day only. */
const SELDOM = ["removeOldAttempts", "removeOldAudit"];
/** Where an upkeep object has the names of its open jobs. */
const OPEN_JOBS_KEY = "jobs";

/** Replaces the class of the same name that is exported above. */
export class Sweeper extends UncountedSweeper {
  constructor(ctx, env) {
    super(ctx, counted(env, counters.sweep));
  }

  async begin(shard, period) {
    const { storage } = this.ctx;
    const open = (await storage.get(OPEN_JOBS_KEY)) ?? [];
    if (period === "hour") await storage.put(OPEN_JOBS_KEY, [...new Set([...open, ...SELDOM])]);
    await super.begin(shard, period);
  }
}

function countersSince() {
  const answer = Response.json(counters);
  for (const counter of Object.values(counters)) Object.assign(counter, none());
  return answer;
}

export default {
  ...worker,
  /**
   * `GET /bench/counters` returns the counts of each entry point since the previous request for them. `/bench/keep`
   * keeps the calls of the next request, which `/bench/replay?id=` makes again; `id` is one that the request has made.
   */
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/bench/counters") return countersSince();
    if (pathname === "/bench/keep") {
      keepCalls();
      return new Response();
    }
    if (pathname === "/bench/replay") {
      return Response.json({ calls: await replay(env, searchParams.get("id") ?? "") });
    }
    return worker.fetch(request, counted(env, counters.http), ctx);
  },
  queue: (batch, env, ctx) => worker.queue(batch, counted(env, counters.queue), ctx),
};
