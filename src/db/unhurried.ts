/** Long work on a database that others use too: in pages, with pauses between them. */
import type { Deps } from "../deps";
import { repeatable } from "./faults";

/**
 * D1 runs one transaction at a time, so others wait for a page. It gets more rows if D1 worked at the one before for less than the first
 * time, and fewer if for longer than the second. 500 small rows take a local D1 about 2 ms, besides the commit.
 */
const SHORT_PAGE_MS = 2;
const LONG_PAGE_MS = 10;
const FIRST_ROWS = 500;
const FEWEST_ROWS = 100;
const MOST_ROWS = 2_000;
/** A pause is so many times as long as the page before it. */
const PAUSE_PER_PAGE = 4;
const MAX_PAUSE_MS = 100;

/** Makes a call that is safe to repeat, for one page, and then leaves the database to others. */
export async function unhurried<T>(now: () => number, call: () => Promise<T>): Promise<T> {
  const startedMs = now();
  const result = await repeatable(call);
  await scheduler.wait(Math.min(PAUSE_PER_PAGE * (now() - startedMs), MAX_PAUSE_MS));
  return result;
}

/**
 * The pages of one table. D1 says how long it worked at a page, and the next one gets twice or half as many rows if that was much shorter
 * or longer than it should be: rows differ in size, and databases in speed. The time of the call would not do, for it has the way to D1.
 */
export class Pages {
  readonly #deps: Pick<Deps, "now" | "trips">;
  #rows = FIRST_ROWS;

  constructor(deps: Pick<Deps, "now" | "trips">) {
    this.#deps = deps;
  }

  /** Does the next page with the pause after it. `page` takes how many rows it may have. */
  async next<T>(page: (rows: number) => Promise<T>): Promise<T> {
    const { now, trips } = this.#deps;
    const beforeMs = trips.sqlMs;
    const result = await unhurried(now, () => page(this.#rows));
    const tookMs = trips.sqlMs - beforeMs;
    if (tookMs > LONG_PAGE_MS) this.#rows = Math.max(FEWEST_ROWS, Math.floor(this.#rows / 2));
    else if (tookMs < SHORT_PAGE_MS) this.#rows = Math.min(MOST_ROWS, this.#rows * 2);
    return result;
  }
}
