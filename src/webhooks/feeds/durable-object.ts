/** One object per consumer of a feed. It knows whether the consumer is being polled; nothing is stored. */
import { DurableObject } from "cloudflare:workers";

/** A poll that dies ends its lease so late. Longer than any poll takes. */
const LEASE_MS = 30_000;

type Taken = { token: string } | { token: null; retryAfterSeconds: number };

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class FeedLease extends DurableObject {
  #lease: { token: string; endsAtMs: number } | null = null;

  /** Begins a poll, unless one is running. */
  async take(): Promise<Taken> {
    const nowMs = Date.now();
    if (this.#lease && this.#lease.endsAtMs > nowMs) {
      return { token: null, retryAfterSeconds: Math.ceil((this.#lease.endsAtMs - nowMs) / 1_000) };
    }
    const token = crypto.randomUUID();
    this.#lease = { token, endsAtMs: nowMs + LEASE_MS };
    return { token };
  }

  /** Ends the poll that began with this token. */
  async release(token: string): Promise<void> {
    if (this.#lease?.token === token) this.#lease = null;
  }
}
