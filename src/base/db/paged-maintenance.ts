/** Long work on a database that others use too: in pages, with pauses between them, over as many runs as it takes. */
import type { TripCount } from "./client";
import { repeatable } from "./faults";

/**
 * D1 runs one transaction at a time, so others wait for a page. The next page gets more rows if D1 worked on this one
 * for less than `SHORT_PAGE_MS`, and fewer if for more than `LONG_PAGE_MS`. SQLite deletes 500 attempts or 200 audit
 * events in about 2 ms, besides the commit.
 */
const SHORT_PAGE_MS = 1;
const LONG_PAGE_MS = 3;
const FIRST_ROWS = 200;
const FEWEST_ROWS = 50;
const MOST_ROWS = 1_000;
/**
 * A pause is at least this many times as long as the page before it took with its wait, up to a limit. So upkeep slows
 * down where others wait for the database too, and goes on even then.
 */
const PAUSE_PER_PAGE = 4;
const MAX_PAUSE_PER_PAGE_MS = 1_000;
/**
 * The most rows that one database is made to write in a second. Each row takes D1 time that it does not report, for the
 * commit and for moving the write-ahead log into the file. A database that accepts 500 events a second, about as many
 * as it can, gets 1,000 rows a second to delete.
 */
const MAX_ROWS_PER_SECOND = 2_000;
/** The same for what need not keep up with deliveries: the log of what people do, and what deleted tenants leave. */
export const SELDOM_ROWS_PER_SECOND = 500;

/** The members of `Deps` that pages are measured with. */
interface Clock {
  now(): number;
  wait(ms: number): Promise<void>;
  trips: TripCount;
}

/** Makes a call that is safe to repeat, for one page, and then pauses, so that others can use the database. */
export async function thenPause<T>(
  { now, wait, trips }: Clock,
  call: () => Promise<T>,
  mostPerSecond = MAX_ROWS_PER_SECOND,
): Promise<T> {
  const [startedMs, writtenBefore] = [now(), trips.rowsWritten];
  const result = await repeatable(call);
  const page = { tookMs: now() - startedMs, rowsWritten: trips.rowsWritten - writtenBefore };
  await wait(pauseAfter(page, mostPerSecond));
  return result;
}

/** Returns how long others have the database after a page, in ms. */
export const pauseAfter = (
  { tookMs, rowsWritten }: { tookMs: number; rowsWritten: number },
  mostPerSecond = MAX_ROWS_PER_SECOND,
): number => Math.max(Math.min(PAUSE_PER_PAGE * tookMs, MAX_PAUSE_PER_PAGE_MS), (rowsWritten * 1_000) / mostPerSecond);

/**
 * The pages of one table. D1 reports how long it worked on a page, and the next one gets twice or half as many rows if
 * that was too short or too long: rows differ in size, and databases in speed. The duration of the call cannot be used,
 * because it includes the network.
 */
export class MaintenancePages {
  readonly #deps: Clock;
  #rows = FIRST_ROWS;

  constructor(deps: Clock) {
    this.#deps = deps;
  }

  /** Processes the next page, and pauses. `page` is called with the number of rows that it may have. */
  async next<T>(page: (rows: number) => Promise<T>): Promise<T> {
    const { trips } = this.#deps;
    const beforeMs = trips.sqlMs;
    const result = await thenPause(this.#deps, () => page(this.#rows));
    const tookMs = trips.sqlMs - beforeMs;
    if (tookMs > LONG_PAGE_MS) this.#rows = Math.max(FEWEST_ROWS, Math.floor(this.#rows / 2));
    else if (tookMs < SHORT_PAGE_MS) this.#rows = Math.min(MOST_ROWS, this.#rows * 2);
    return result;
  }
}

/** The result of a page: how many rows it changed, and the cursor of the next page (null at the end). */
export interface MaintenancePage {
  count: number;
  next: string | null;
}

/**
 * Processes pages from `cursor` until the end or until `isOver`. Returns what they changed in all, and where to go on.
 */
export async function inPages(
  deps: Clock,
  cursor: string,
  isOver: () => boolean,
  page: (cursor: string, rows: number) => Promise<MaintenancePage>,
): Promise<MaintenancePage> {
  const pages = new MaintenancePages(deps);
  let count = 0;
  let next: string | null = cursor;
  while (next !== null && !isOver()) {
    const from: string = next;
    const done: MaintenancePage = await pages.next((rows) => page(from, rows));
    count += done.count;
    next = done.next;
  }
  return { count, next };
}
