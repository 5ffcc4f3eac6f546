/** Works whose trips to D1 come in an order that a seed determines: one at a time, and any of theirs may be next. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Random } from "./faults/random";

/** Is given bindings whose database waits for its turn. */
export type Work<T> = (bindings: typeof env, context: ExecutionContext) => Promise<T>;

type Wrapped = D1PreparedStatement & { inner?: D1PreparedStatement };

/**
 * Runs works together. Each trip begins once all works wait for one or are done, so a seed gives the same order again.
 * What a work has left to do in the background waits for nobody.
 */
export async function inTurns<T>(random: Random, works: readonly Work<T>[]): Promise<T[]> {
  const waiting: (() => void)[][] = works.map(() => []);
  const isDone = works.map(() => false);

  function advance(): void {
    if (waiting.some((trips, nth) => trips.length === 0 && !isDone[nth])) return;
    const [first, ...rest] = waiting.filter((trips) => trips.length > 0);
    if (first) random.pick([first, ...rest]).shift()?.();
  }

  const turnOf = (nth: number) =>
    new Promise<void>((resolve) => {
      if (isDone[nth]) return resolve();
      waiting[nth]?.push(resolve);
      advance();
    });

  const contexts = works.map(() => createExecutionContext());
  const done = await Promise.all(
    works.map(async (work, nth) => {
      const context = contexts[nth] ?? createExecutionContext();
      try {
        return await work({ ...env, DB: waitingFor(() => turnOf(nth), advance) }, context);
      } finally {
        isDone[nth] = true;
        for (const resolve of waiting[nth]?.splice(0) ?? []) resolve();
        advance();
      }
    }),
  );
  for (const context of contexts) await waitOnExecutionContext(context);
  return done;
}

function waitingFor(turn: () => Promise<void>, ended: () => void): D1Database {
  const after =
    <Values extends unknown[], T>(trip: (...values: Values) => Promise<T>) =>
    async (...values: Values): Promise<T> => {
      await turn();
      // Another trip of the same work may wait already.
      return trip(...values).finally(ended);
    };
  const wrap = (inner: D1PreparedStatement): Wrapped =>
    ({
      inner,
      bind: (...values: unknown[]) => wrap(inner.bind(...values)),
      all: after(() => inner.all()),
      run: after(() => inner.run()),
      first: after(() => inner.first()),
      raw: after(() => inner.raw()),
    }) as unknown as Wrapped;
  const proxy = {
    prepare: (query: string) => wrap(env.DB.prepare(query)),
    batch: after((statements: Wrapped[]) => env.DB.batch(statements.map((statement) => statement.inner ?? statement))),
  };
  return proxy as unknown as D1Database;
}
