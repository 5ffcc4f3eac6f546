/** What runs ask a throttle, and what it answers. */

/** A delivery that asks for its start. */
export interface Demand {
  id: string;
  /** "test": a test, which goes first. "returned": it has waited before. "new": it has not. */
  priority: "test" | "returned" | "new";
}

/** Times are Unix ms. */
export type Answer =
  /** It may start then. */
  | { kind: "start"; atMs: number }
  /** It should come back then. No attempt is used. */
  | { kind: "wait"; untilMs: number; waitsFor: "start" | "permit" };

/** What a run asks for, and what it reports. */
export interface Asked {
  demands: Demand[];
  /** The deliveries whose permits it no longer needs. */
  ended: readonly string[];
  /** Waiting deliveries that it calls to free permits. */
  called: string[];
  /** Names the run, which will hold the permits. */
  holder: string;
  /** The latest start that it can make, Unix ms. */
  latestMs: number;
}
