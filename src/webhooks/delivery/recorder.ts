/**
 * Records each result at once, unless a record is under way or has just ended: those that arrive meanwhile are recorded
 * together. A record costs the isolate and the database far more than one more result in it, so after each, the next
 * one waits twice as long as it took. The busier the database is, the fewer records it gets.
 */
import { repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import { jittered } from "../../base/jitter";
import { describeError, log } from "../../base/log/log";
import { inTime } from "../../base/time";
import { enqueueLater } from "../plane/enqueue";
import { sendOperational } from "../plane/operational";
import { isInMain } from "../plane/outbox-store";
import { RECORD_WITHIN_MS, RETRY_RECORD_MS } from "../plane/timing";
import { resumeFanOuts } from "./fan-outs";
import { feedAfter } from "./lanes/feed";
import { isOverloaded, noteResult } from "./lanes/width";
import { type AttemptResult, recordAttempts } from "./record-store";

/**
 * The results of one round trip are one JSON value, and D1 takes 2 MB a value. Escaping can make a response body six
 * times as long.
 */
const MAX_RECORD_BYTES = 1_000_000;
/** The most bytes of JSON that a result takes without the texts of its answer, and that a character of them takes. */
const RESULT_BYTES = 1_000;
const CHARACTER_BYTES = 6;

/** The next record waits so many times as long as the last one took, and at most so long. */
const RESTS = 2;
const LONGEST_REST_MS = 25;

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
  let writing: Promise<void> | null = null;
  // Apart from the records, which do not wait for them.
  let following: Promise<unknown> = Promise.resolve();
  const flushed = Promise.withResolvers<void>();

  const writeAll = async (): Promise<void> => {
    while (gathered.length > 0) {
      const startedMs = deps.now();
      const results = gathered;
      gathered = [];
      for (const part of inParts(results)) {
        const recorded = await write(deps, shard, claim, part);
        following = Promise.all([following, queueFollowUps(deps, shard, recorded)]);
      }
      const restMs = Math.min(RESTS * (deps.now() - startedMs), LONGEST_REST_MS);
      await Promise.race([deps.wait(restMs), flushed.promise]);
    }
    writing = null;
  };
  return {
    add(result) {
      gathered.push(result);
      if (writing !== null) return;
      writing = writeAll();
      deps.background("record attempts", writing);
    },
    async flush() {
      flushed.resolve();
      await writing;
      await following;
    },
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
  for (let waitMs = RETRY_RECORD_MS; ; waitMs *= 2) {
    try {
      const { recorded, operational } = await inTime(
        giveUpMs - deps.now(),
        repeatable(() => recordAttempts(deps.shards.db(shard), claim, results)),
      );
      sendOperational(deps, shard, operational);
      return results.filter(({ attemptId }) => recorded.has(attemptId));
    } catch (error) {
      log("error", "attempts not recorded", { shard, count: results.length, ...describeError(error) });
      if (deps.now() + waitMs >= giveUpMs) return [];
      await scheduler.wait(jittered(waitMs));
    }
  }
}

/** Queues the retries, the next deliveries of each lane that has results, and wide events that wait. Never throws. */
async function queueFollowUps(deps: Deps, shard: number, results: readonly AttemptResult[]): Promise<void> {
  for (const result of results) noteResult(result);
  const retries = results.flatMap(({ nextDueAt, ...key }) =>
    nextDueAt === null || !isInMain(key) ? [] : [{ ...key, dueAt: nextDueAt }],
  );
  try {
    if (retries.length > 0) await enqueueLater(deps, "slow", shard, retries);
    // After an answer that says that the receiver has too much, the sweep goes on, a little later.
    await feedAfter(
      deps,
      shard,
      results.filter((result) => !isOverloaded(result)),
    );
    await resumeFanOuts(deps);
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
    const { responseBody, responseHeaders } = result;
    const answerCharacters = (responseBody?.length ?? 0) + (responseHeaders?.length ?? 0);
    const bytes = RESULT_BYTES + CHARACTER_BYTES * answerCharacters;
    if (parts.length === 0 || bytes > roomBytes) {
      parts.push([]);
      roomBytes = MAX_RECORD_BYTES;
    }
    parts.at(-1)?.push(result);
    roomBytes -= bytes;
  }
  return parts;
}
