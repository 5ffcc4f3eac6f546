/** What a purge consists of. Each step can be repeated; `purge.ts` runs them. */
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import type { Purge } from "./purge-store";

/**
 * What follows a page: the same step from `cursor` on; the same step, but not before `notBefore` (Unix ms); or the next
 * step.
 */
type AfterPage = { cursor: string } | { notBefore: number } | "done";

export interface Step {
  /** Stored in the purge. If no step has the stored name, the purge begins again. */
  name: string;
  /** Does a bounded part of the step, from `cursor` on; "" is its beginning. */
  page(deps: Deps, purge: Purge, cursor: string): Promise<AfterPage>;
}

/** By then, requests and sends that began before the deletion have written everything. */
export const SETTLED_AFTER_MS = 2 * MINUTE_MS;

/** Waits for what was under way, so that the steps after it find everything. */
export const SETTLE: Step = {
  name: "settle",
  page: async ({ now }, { createdAt }) => {
    const settledAt = createdAt + SETTLED_AFTER_MS;
    return now() < settledAt ? { notBefore: settledAt } : "done";
  },
};

/**
 * The id of a mail of a purge. It begins with the time of the deletion. A repeated step makes the same id, so that one
 * mail is sent.
 */
export const mailIdOf = ({ createdAt, id }: Purge, number = 0): string => `${createdAt}:${id}:${number}`;
