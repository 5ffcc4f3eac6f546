/** `postern/receive/testing`: kills a receiver at every point at which it can die. */
import type { Store } from "../store";

/** What `everyCrash` runs. */
export interface CrashTest<Tx> {
  /** Makes a store with no marks, over data without effects. Called once for each crash. */
  store: () => Store<Tx> | Promise<Store<Tx>>;
  /** Receives the same deliveries each time, through `handle` with the given store. May throw after a crash. */
  run: (store: Store<Tx>) => Promise<unknown>;
  /** Throws unless each effect is there exactly once. */
  check: () => Promise<unknown>;
}

const STEPS = ["look", "commit", "fail", "forget", "prune", "migrate"] as const;

/** The receiver died here. Every later step of its store throws it too. */
class Crash extends Error {
  override name = "Crash";
}

/**
 * Lets the receiver die before and after each step of its store in turn. Each time it runs again with a store that
 * works, as it does when the deliveries are sent again, and calls `check`. Returns how many crashes there were.
 *
 * @example
 * await everyCrash({ store: emptyStore, run: (store) => handle(request(), { secret, store }, pay), check: paidOnce });
 */
export async function everyCrash<Tx>({ store, run, check }: CrashTest<Tx>): Promise<{ crashes: number }> {
  for (let crashes = 0; ; crashes++) {
    const works = await store();
    const { dying, hasDied } = dyingAt(works, crashes);
    const failure = await run(dying).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const crashed = hasDied();
    // `run` may throw after the death, such as an assertion that the answer is 200.
    if (failure && !crashed) throw failure.error;
    if (crashed) await run(works);
    await check();
    if (!crashed) return { crashes };
  }
}

/** `store` until its `point`-th point, counted from 0: two for each step, before and after it. */
function dyingAt<Tx>(store: Store<Tx>, point: number) {
  let passed = 0;
  const pass = () => {
    if (passed++ >= point) throw new Crash(`Died at point ${point}.`);
  };
  const steps = STEPS.map((name) => {
    const step = store[name] as (...args: unknown[]) => Promise<unknown>;
    const dying = async (...args: unknown[]) => {
      pass();
      const result = await step.apply(store, args);
      pass();
      return result;
    };
    return [name, dying];
  });
  return { dying: { ...store, ...Object.fromEntries(steps) } as Store<Tx>, hasDied: () => passed > point };
}
