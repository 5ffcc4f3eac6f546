/** What `handle` takes. */
import type { Parser } from "../parser";
import type { Delivery } from "../verify";
import type { VerificationKeys } from "../verify/keys";
import type { Store } from "./store";

/** An event came that is not the next of its `orderKey`: some before it are missing. */
export interface Gap {
  orderKey: string;
  expected: number;
  received: number;
}

/** An event came whose number is not above the last one of its `orderKey`. */
export interface Late {
  orderKey: string;
  last: number;
  received: number;
}

/** How to receive deliveries. */
export interface HandleOptions<Tx, Payload = unknown> {
  /** The subscription's secret, a list of secrets or public keys, or `{ jwks: url }`, as for `verifyDelivery`. */
  secret: VerificationKeys;
  store: Store<Tx>;
  /** Which receiver, if several share a store; 1 to 64 characters, "default" unless given. */
  receiver?: string | undefined;
  /** After how many failures of the handler a delivery is given up, 1 to 100. It never is unless given. */
  poisonAfter?: number | undefined;
  /** Called once for a delivery that was given up. */
  onPoison?: ((event: Delivery<Payload>, error: unknown) => void | Promise<void>) | undefined;
  /** What to do about missing events: "handle" (the default) or "wait" for them. */
  onGap?: ((gap: Gap) => GapChoice | Promise<GapChoice>) | undefined;
  /** What to do about an event that comes after a later one: "handle" (the default) or "skip" it. */
  onLate?: ((late: Late) => LateChoice | Promise<LateChoice>) | undefined;
  /** How often a delivery waits before it is handled in spite of a gap, 0 to 100; 2 unless given. */
  maxWaits?: number | undefined;
  /** Reads the body, as for `verifyDelivery`: a library that keeps the digits of numbers above 2^53, or `JSON`. */
  json?: Parser | undefined;
  /** Called with what the handler, a callback or the store threw. */
  onError?: ((error: unknown, event: Delivery<Payload>) => void) | undefined;
  /** Whether 500 says what was thrown, which the sender's log keeps; "error" unless given. */
  showErrors?: boolean | undefined;
}

export type GapChoice = "handle" | "wait";
export type LateChoice = "handle" | "skip";
