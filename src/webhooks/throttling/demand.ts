/** What consumers ask gates, and what the gates answer. Times are Unix ms. */

/** A delivery that asks for its start. */
export interface Demand {
  id: string;
  /**
   * "test": a test, which goes before all others. "back": it has waited in the line or with its consumer, or has missed
   * its start. "next": it is called to a place that has become free. "new": everything else.
   */
  standing: "test" | "back" | "next" | "new";
  /** The slot that it was given in the line, or the start that it was told to expect; null without one. */
  slotAtMs: number | null;
}

/** The outcome of a start that was granted until `latestMs`: when it was made, or null if it was not. */
export interface Made {
  latestMs: number;
  atMs: number | null;
}

export type Answer =
  /** It may start between the two moments. */
  | { kind: "start"; atMs: number; latestMs: number }
  /** It can probably start then. Its consumer keeps it, and asks again shortly before. */
  | { kind: "soon"; atMs: number }
  /** It must come back then: shortly before its slot, or to ask for a place. */
  | { kind: "wait"; untilMs: number; waitsFor: "slot" | "place" }
  /** Another consumer is about to start it. If that consumer does not, its start may be asked for after `untilMs`. */
  | { kind: "taken"; untilMs: number }
  /** It keeps waiting for the time that it was given before. */
  | { kind: "stay" };
