/** An exact sliding window, as a pure function. */
import type { Rule } from "./rules";

/** Units that were consumed in the same millisecond, and so leave the window together. */
export interface WindowEntry {
  leavesAtMs: number;
  units: number;
}

export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the oldest entry leaves the window, at least 1. */
  resetSeconds: number;
}

/**
 * Consumes one unit at `nowMs` if the window has room. Returns the verdict and the entries that are inside the window afterwards.
 * `entries` and the result are in the order in which they leave.
 */
export function consume(
  entries: readonly WindowEntry[],
  rule: Rule,
  nowMs: number,
): { verdict: Verdict; entries: WindowEntry[] } {
  const leavesAtMs = nowMs + rule.windowSeconds * 1000;
  const inside = entries.filter((entry) => entry.leavesAtMs > nowMs);
  const used = inside.reduce((sum, { units }) => sum + units, 0);
  const allowed = used < rule.limit;
  const after = allowed ? insert(inside, { leavesAtMs, units: 1 }) : inside;
  const roomAtMs = after[0]?.leavesAtMs ?? leavesAtMs;
  return {
    verdict: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - used - (allowed ? 1 : 0)),
      resetSeconds: Math.max(1, Math.ceil((roomAtMs - nowMs) / 1000)),
    },
    entries: after,
  };
}

/** Adds an entry at its place: nearly always the end, but the clock can step back and a rule's window can change. */
function insert(entries: readonly WindowEntry[], added: WindowEntry): WindowEntry[] {
  const index = entries.findLastIndex((entry) => entry.leavesAtMs <= added.leavesAtMs);
  const before = entries[index];
  if (before?.leavesAtMs === added.leavesAtMs)
    return entries.with(index, { ...added, units: before.units + added.units });
  return entries.toSpliced(index + 1, 0, added);
}
