/** At most six sends at once in one invocation: a seventh connection would wait inside its own timeout (platform limit). */

const MAX_CONCURRENT_SENDS = 6;
/** When no send has started or ended for this long, the rest of the batch should not wait for it. */
const STALL_MS = 1_000;

/**
 * Runs `work` on every item, six at a time, next always the item whose group has the fewest running: a group that hangs
 * holds few places. Returns when all are done, or with the items not yet started once the pool has stalled; those that
 * run go on, and `done` tells when.
 */
export async function runPool<T>(
  items: readonly T[],
  groupOf: (item: T) => string,
  work: (item: T) => Promise<void>,
): Promise<{ notStarted: T[]; done: Promise<void> }> {
  const waiting = [...items];
  const running = new Map<string, number>();
  let active = 0;
  const all = Promise.withResolvers<void>();
  const stalled = Promise.withResolvers<void>();
  let stallTimer: ReturnType<typeof setTimeout> | null = null;

  const start = (): void => {
    clearTimeout(stallTimer);
    while (active < MAX_CONCURRENT_SENDS && waiting.length > 0) launch(takeFairest());
    if (active === 0) all.resolve();
    else if (waiting.length > 0) stallTimer = setTimeout(stalled.resolve, STALL_MS);
  };
  const takeFairest = (): T => {
    const loads = waiting.map((item) => running.get(groupOf(item)) ?? 0);
    return waiting.splice(loads.indexOf(Math.min(...loads)), 1)[0] as T;
  };
  const launch = (item: T): void => {
    const group = groupOf(item);
    active += 1;
    running.set(group, (running.get(group) ?? 0) + 1);
    work(item).finally(() => {
      active -= 1;
      running.set(group, (running.get(group) ?? 1) - 1);
      start();
    });
  };

  start();
  await Promise.race([all.promise, stalled.promise]);
  return { notStarted: waiting.splice(0), done: all.promise };
}
