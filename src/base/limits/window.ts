/** An exact sliding window, as pure functions. */
import type { Rule } from "./rules";

/** Units that were consumed in the same millisecond, and so leave the window together. */
export interface WindowEntry {
  leavesAtMs: number;
  units: number;
}

export interface LimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Time until the oldest units leave the window or, after a refusal, until there is room for what was refused. */
  resetMs: number;
  /** When the consumed units leave the window. */
  leavesAtMs: number;
}

/**
 * Consumes `units` at `nowMs` if the window has room for all of them. Returns the verdict and the entries in the window
 * afterwards. The entries, given and returned, are in the order in which they leave.
 */
export function consume(
  entries: readonly WindowEntry[],
  rule: Rule,
  units: number,
  nowMs: number,
): { verdict: LimitVerdict; entries: WindowEntry[] } {
  const leavesAtMs = nowMs + rule.windowSeconds * 1000;
  const inside = entries.filter((entry) => entry.leavesAtMs > nowMs);
  const used = inside.reduce((sum, entry) => sum + entry.units, 0);
  const allowed = used + units <= rule.limit;
  const after = allowed && units > 0 ? add(inside, { leavesAtMs, units }) : inside;
  const resetAtMs = allowed ? after[0]?.leavesAtMs : roomAtMs(inside, used + units - rule.limit);
  return {
    verdict: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - used - (allowed ? units : 0)),
      resetMs: (resetAtMs ?? leavesAtMs) - nowMs,
      leavesAtMs,
    },
    entries: after,
  };
}

/** The time until the reset as headers give it: whole seconds, at least 1. */
export const resetSeconds = ({ resetMs }: LimitVerdict): number => Math.max(1, Math.ceil(resetMs / 1000));

/**
 * Takes unused units out of the entry in which they were consumed. Does nothing when that entry has left the window.
 */
export function giveBack(entries: readonly WindowEntry[], unused: WindowEntry): WindowEntry[] {
  return entries.map((entry) =>
    entry.leavesAtMs === unused.leavesAtMs ? { ...entry, units: Math.max(0, entry.units - unused.units) } : entry,
  );
}

/** Adds an entry at its place: nearly always the end, but the clock can step back and a rule's window can change. */
function add(entries: readonly WindowEntry[], added: WindowEntry): WindowEntry[] {
  const index = entries.findLastIndex((entry) => entry.leavesAtMs <= added.leavesAtMs);
  const before = entries[index];
  if (before?.leavesAtMs !== added.leavesAtMs) return entries.toSpliced(index + 1, 0, added);
  return entries.with(index, { ...added, units: before.units + added.units });
}

/**
 * When the first `units` have left the window; undefined if they never do, because the request exceeds the limit
 * itself.
 */
function roomAtMs(entries: readonly WindowEntry[], units: number): number | undefined {
  let left = units;
  return entries.find((entry) => {
    left -= entry.units;
    return left <= 0;
  })?.leavesAtMs;
}
