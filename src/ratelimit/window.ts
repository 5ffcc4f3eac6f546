/** The exact sliding window, as a pure function. A hit is the time at which it leaves the window, in ms; oldest first. */
import type { Rule } from "./rules";

export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the oldest hit leaves the window, at least 1: the next moment at which room appears. */
  resetSeconds: number;
}

/** Takes one hit at `nowMs` if there is room. Returns the verdict and the hits still inside the window. */
export function take(hits: readonly number[], rule: Rule, nowMs: number): { verdict: Verdict; hits: number[] } {
  const inside = hits.filter((leavesAt) => leavesAt > nowMs);
  const allowed = inside.length < rule.limit;
  if (allowed) inside.push(nowMs + rule.windowSeconds * 1000);
  const roomAt = inside[0] ?? nowMs + rule.windowSeconds * 1000;
  return {
    verdict: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - inside.length),
      resetSeconds: Math.max(1, Math.ceil((roomAt - nowMs) / 1000)),
    },
    hits: inside,
  };
}
