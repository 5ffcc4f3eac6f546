/**
 * Records results in groups, soon after they arrive. Those that arrive during a record are recorded together after it,
 * and no result waits for a slow send.
 */
import { repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { inTime } from "../../base/time";
import { enqueueLater } from "../plane/enqueue";
import { sendOperational } from "../plane/operational";
import { isInMain } from "../plane/outbox-store";
import { GATHER_MS, RECORD_WITHIN_MS, RETRY_RECORD_MS } from "../plane/timing";
import { feedLanes } from "./lanes/feed";
import { noteResult } from "./lanes/width";
import { type AttemptResult, recordAttempts } from "./record-store";

/**
 * The results of one round trip are one JSON value, and D1 takes 2 MB a value. Escaping can make a response body six
 * times as long.
 */
const MAX_RECORD_BYTES = 1_000_000;
/** The most bytes of JSON that a result takes without its response body, and that one character of the body takes. */
const RESULT_BYTES = 1_000;
const CHARACTER_BYTES = 6;

export interface Recorder {
  add(result: AttemptResult): void;
  /** Records the remaining results. Resolves when all are written or given up, and what follows them is queued. */
  flush(): Promise<void>;
}

/**
 * Creates a recorder for the results of one shard, which makes one record at a time. `claim` is the token under which
 * the deliveries were claimed.
 */
export function createRecorder(deps: Deps, shard: number, claim: string): Recorder {
  let gathered: AttemptResult[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();
  // Apart from the records, which do not wait for them.
  let following: Promise<unknown> = Promise.resolve();

  const writeGathered = async (): Promise<void> => {
    clearTimeout(timer);
    timer = null;
    const results = gathered;
    gathered = [];
    for (const part of inParts(results)) {
      const recorded = await write(deps, shard, claim, part);
      following = Promise.all([following, queueFollowUps(deps, shard, recorded)]);
    }
  };
  const flush = async (): Promise<void> => {
    writing = writing.then(writeGathered);
    await writing;
    await following;
  };
  return {
    add(result) {
      gathered.push(result);
      timer ??= setTimeout(() => deps.background("record attempts", flush()), GATHER_MS);
    },
    flush,
  };
}

/**
 * Tries until the lease is nearly over. Returns what is recorded; a delivery whose result is not is sent again by the
 * sweep.
 */
async function write(
  deps: Deps,
  shard: number,
  claim: string,
  results: readonly AttemptResult[],
): Promise<AttemptResult[]> {
  const giveUpMs = deps.now() + RECORD_WITHIN_MS;
  for (;;) {
    try {
      const { recorded, operational } = await inTime(
        giveUpMs - deps.now(),
        repeatable(() => recordAttempts(deps.shards.db(shard), claim, results)),
      );
      sendOperational(deps, shard, operational);
      return results.filter(({ attemptId }) => recorded.has(attemptId));
    } catch (error) {
      log("error", "attempts not recorded", { shard, count: results.length, ...describeError(error) });
      if (deps.now() + RETRY_RECORD_MS >= giveUpMs) return [];
      await scheduler.wait(RETRY_RECORD_MS);
    }
  }
}

/** Queues the retries, and the next deliveries of each lane that has results. Never throws. */
async function queueFollowUps(deps: Deps, shard: number, results: readonly AttemptResult[]): Promise<void> {
  for (const result of results) noteResult(result);
  const retries = results.flatMap(({ nextDueAt, ...key }) =>
    nextDueAt === null || !isInMain(key) ? [] : [{ ...key, dueAt: nextDueAt }],
  );
  try {
    if (retries.length > 0) await enqueueLater(deps, "slow", shard, retries);
    // After a slow failure the sweep goes on, a little later.
    const isFed = (result: AttemptResult) => !isInMain(result) && (!result.isSlow || result.status === "success");
    const waiting = new Set(results.filter(isFed).map(({ queue }) => queue));
    if (waiting.size > 0) await feedLanes(deps, shard, [...waiting]);
  } catch (error) {
    // The deliveries are still in the outbox, so the sweep finds them.
    log("error", "messages not sent", { shard, count: retries.length, ...describeError(error) });
  }
}

/** Splits results into parts that D1 accepts as one value. Ordinary response bodies fit into one part. */
function inParts(results: readonly AttemptResult[]): AttemptResult[][] {
  const parts: AttemptResult[][] = [];
  let roomBytes = 0;
  for (const result of results) {
    const bytes = RESULT_BYTES + CHARACTER_BYTES * (result.responseBody?.length ?? 0);
    if (parts.length === 0 || bytes > roomBytes) {
      parts.push([]);
      roomBytes = MAX_RECORD_BYTES;
    }
    parts.at(-1)?.push(result);
    roomBytes -= bytes;
  }
  return parts;
}
