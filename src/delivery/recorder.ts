/** Records results soon after they come: those of a quick batch in one round trip, and none waits for the slowest. */
import { repeatable } from "../db/faults";
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { enqueueRetries } from "./enqueue";
import { type AttemptResult, recordAttempts } from "./record-store";
import { feedBacklog } from "./sweep";
import { RECORD_WITHIN_MS } from "./timing";

/** How long a result waits for others while more sends are under way. */
const GATHER_MS = 100;
const RETRY_RECORD_MS = 250;

/** D1 takes 2 MB a value, and a batch is one value: foreign bodies of control characters must not make it fail for all. */
const MAX_RECORD_BYTES = 1_000_000;
/** What a result holds beside its body, and a character of the body, at most, as JSON. */
const RESULT_BYTES = 1_000;
const CHARACTER_BYTES = 6;

export interface Recorder {
  add(result: AttemptResult): void;
  /** Records what is left; resolves when all is written. */
  flush(): Promise<void>;
}

/** Records the results of one shard under the token of their claim. */
export function createRecorder(deps: Deps, shard: number, claim: string): Recorder {
  let gathered: AttemptResult[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = null;
    const results = gathered;
    gathered = [];
    for (const part of inParts(results)) writing = writing.then(() => write(deps, shard, claim, part));
    return writing;
  };
  return {
    add(result) {
      gathered.push(result);
      timer ??= setTimeout(() => deps.background("record attempts", flush()), GATHER_MS);
    },
    flush,
  };
}

/** Tries until the lease is nearly over. What is not recorded by then is not lost: the sweep ends its attempts and sends again. */
async function write(deps: Deps, shard: number, claim: string, results: AttemptResult[]): Promise<void> {
  const giveUpMs = deps.now() + RECORD_WITHIN_MS;
  for (;;) {
    try {
      const recorded = await repeatable(() => recordAttempts(deps.shards.db(shard), claim, results));
      return await goOn(
        deps,
        shard,
        results.filter(({ attemptId }) => recorded.has(attemptId)),
      );
    } catch (error) {
      log("error", "attempts not recorded", { shard, count: results.length, ...describeError(error) });
      if (deps.now() + RETRY_RECORD_MS >= giveUpMs) return;
      await scheduler.wait(RETRY_RECORD_MS);
    }
  }
}

/** Sends the messages of what is to be tried again, and lets a subscription's own queue go on. */
async function goOn(deps: Deps, shard: number, results: readonly AttemptResult[]): Promise<void> {
  const retries = results.flatMap(({ queue, nextDueAt, deliveryId, subscriptionId, bytes }) =>
    nextDueAt === null || queue !== "" ? [] : [{ queue, dueAt: nextDueAt, id: deliveryId, subscriptionId, bytes }],
  );
  try {
    if (retries.length > 0) await enqueueRetries(deps, shard, retries);
    const waiting = new Set(results.flatMap(({ queue, slow }) => (queue !== "" && slow === 0 ? [queue] : [])));
    for (const subscriptionId of waiting) await feedBacklog(deps, shard, subscriptionId);
  } catch (error) {
    // The sweep finds them.
    log("error", "messages not sent", { shard, count: retries.length, ...describeError(error) });
  }
}

/** Ordinary bodies make one part. */
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
