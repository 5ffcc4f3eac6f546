/** The exact sliding window, as a pure function: hits are times in ms, oldest first. */
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
  const windowStartMs = nowMs - rule.windowSeconds * 1000;
  const inside = hits.filter((hit) => hit > windowStartMs);
  const allowed = inside.length < rule.limit;
  if (allowed) inside.push(nowMs);
  const oldest = inside[0] ?? nowMs;
  return {
    verdict: {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - inside.length),
      resetSeconds: Math.max(1, Math.ceil((oldest - windowStartMs) / 1000)),
    },
    hits: inside,
  };
}
