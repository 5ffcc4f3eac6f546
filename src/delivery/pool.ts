/** At most six sends at once in one invocation: a seventh connection would wait inside its own timeout (platform limit). */
import { HANGS_AFTER_MS, type Lane, mayStart, sendsOf, startSend } from "./load";

const MAX_CONCURRENT_SENDS = 6;
/** When no send has started or ended for this long, the rest of the batch should not wait; by then it is known who hangs. */
const STALL_MS = HANGS_AFTER_MS + 100;
/** How soon to look again for places that other batches hold. */
const LOOK_AGAIN_MS = 50;

interface Send {
  subscriptionId: string;
}

/**
 * Runs `work` on every item, six at a time, next always one of the subscription that has the fewest sends under way in
 * this isolate: one that hangs comes last and holds few places. Nothing starts from `startUntilMs` on. Returns when all are
 * done, or with the items not yet started once the pool has stalled; those that run go on, and `done` tells when.
 */
export async function runPool<T extends Send>(
  lane: Lane,
  items: readonly T[],
  { now, startUntilMs }: { now: () => number; startUntilMs: number },
  work: (item: T) => Promise<void>,
): Promise<{ notStarted: T[]; done: Promise<void> }> {
  const waiting = [...items];
  let active = 0;
  let lastStartMs = now();
  const all = Promise.withResolvers<void>();
  const stalled = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const giveUp = (): void => {
    stalled.resolve();
    if (active === 0) all.resolve();
  };
  const start = (): void => {
    clearTimeout(timer);
    while (active < MAX_CONCURRENT_SENDS && now() < startUntilMs) {
      const item = takeFairest(lane, waiting);
      if (!item) break;
      launch(item);
    }
    if (waiting.length === 0) {
      if (active === 0) all.resolve();
    } else if (now() >= startUntilMs) giveUp();
    else if (active > 0) timer = setTimeout(giveUp, STALL_MS);
    else if (now() - lastStartMs >= STALL_MS) giveUp();
    else timer = setTimeout(start, LOOK_AGAIN_MS);
  };
  const launch = (item: T): void => {
    active += 1;
    lastStartMs = now();
    const endSend = startSend(item.subscriptionId, now);
    work(item).finally(() => {
      active -= 1;
      endSend();
      start();
    });
  };

  start();
  await Promise.race([all.promise, stalled.promise]);
  return { notStarted: waiting.splice(0), done: all.promise };
}

function takeFairest<T extends Send>(lane: Lane, waiting: T[]): T | undefined {
  let best = -1;
  let bestSends = Infinity;
  for (const [index, { subscriptionId }] of waiting.entries()) {
    const sends = sendsOf(subscriptionId);
    if (sends >= bestSends || !mayStart(lane, subscriptionId)) continue;
    best = index;
    bestSends = sends;
  }
  return best < 0 ? undefined : waiting.splice(best, 1)[0];
}
