/**
 * Counts of what the service does, for `/metrics`. An isolate counts in memory, and hands over what it has counted to a
 * Durable Object, which adds it up. Without `/metrics`, nothing is handed over.
 */
import type { Deps } from "./deps";

/** What is counted, and its kinds. */
export const COUNTED = {
  requests: ["2xx", "3xx", "4xx", "5xx"],
  logins: ["success", "failed"],
  mails: ["sent", "failed", "refused"],
} as const;

type Counted = typeof COUNTED;

/** Numbers by `name.kind`, such as `mails.sent`. */
export type Counts = Record<string, number>;

const HAND_OVER_INTERVAL_MS = 15_000;

let counts: Counts = {};
let handedOverAt = 0;
let handingOver: Promise<void> = Promise.resolve();

/** Adds one to a count of this isolate. */
export function count<N extends keyof Counted>(name: N, kind: Counted[N][number]): void {
  counts = sumOf(counts, { [`${name}.${kind}`]: 1 });
}

/** Counts a request by the first digit of its status. */
export function countRequest(status: number): void {
  const kind = COUNTED.requests.find((one) => one[0] === String(status)[0]);
  if (kind) count("requests", kind);
}

export function sumOf(a: Counts, b: Counts): Counts {
  const sum = { ...a };
  for (const [key, number] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + number;
  return sum;
}

/** The Durable Object that adds up the counts of all isolates. */
export const totalCounts = ({ sweepers }: Pick<Deps, "sweepers">) => sweepers.get(sweepers.idFromName("counts"));

/** Hands over the counts of this isolate after the response, at most every 15 seconds. */
export function handOverCounts(deps: Deps): void {
  const nowMs = deps.now();
  if (deps.config.metricsToken === undefined || Math.abs(nowMs - handedOverAt) < HAND_OVER_INTERVAL_MS) return;
  handedOverAt = nowMs;
  const taken = counts;
  counts = {};
  handingOver = addToTotal(deps, taken);
  deps.background("hand over counts", handingOver);
}

/** Makes the counts of this isolate as at its start, after a hand-over that is under way. */
export async function forgetCounts(): Promise<void> {
  await handingOver.catch(() => undefined);
  counts = {};
  handedOverAt = 0;
}

/** Takes the counts back when the object fails. */
async function addToTotal(deps: Deps, taken: Counts): Promise<void> {
  try {
    await totalCounts(deps).addCounts(taken);
  } catch (error) {
    counts = sumOf(counts, taken);
    throw error;
  }
}
