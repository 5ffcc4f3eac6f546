/** Records results soon after they come: those of a quick batch in one round trip, and none waits for the slowest. */

import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { type AttemptResult, recordAttempts } from "./store";
import { QUEUE_GRACE_MS } from "./timing";

/** How long a result waits for others. */
const GATHER_MS = 300;
const RECORD_TRIES = 3;
const RETRY_RECORD_MS = 500;

/** D1 takes 2 MB a value, and a batch is one value: strangers' bodies of control characters must not make it fail for all. */
const MAX_RECORD_BYTES = 1_000_000;
/** What is left of a result beside its body, and a character of the body, at most, as JSON. */
const RESULT_BYTES = 1_000;
const CHARACTER_BYTES = 6;

export interface Recorder {
  add(result: AttemptResult): void;
  /** Records what is left; resolves when all is written. */
  close(): Promise<void>;
}

/** `onRecorded` gets the results that were still ours to write. */
export function createRecorder(
  deps: Deps,
  lease: string,
  onRecorded: (results: AttemptResult[]) => Promise<void>,
): Recorder {
  let gathered: AttemptResult[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> = Promise.resolve();

  const flush = (): void => {
    clearTimeout(timer);
    timer = null;
    const results = gathered;
    gathered = [];
    for (const part of inParts(results)) writing = writing.then(() => write(part));
  };
  const write = async (results: AttemptResult[]): Promise<void> => {
    for (let attempt = 1; attempt <= RECORD_TRIES; attempt += 1) {
      try {
        const ours = await recordAttempts(deps, lease, results, QUEUE_GRACE_MS);
        return await onRecorded(results.filter((result) => ours.has(result.deliveryId)));
      } catch (error) {
        log("error", "attempts not recorded", { count: results.length, tries: attempt, ...describeError(error) });
        await scheduler.wait(RETRY_RECORD_MS * attempt);
      }
    }
    // Not lost: the lease runs out, and the sweep fails the pending rows and sends again.
  };

  return {
    add(result) {
      gathered.push(result);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    async close() {
      flush();
      await writing;
    },
  };
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
