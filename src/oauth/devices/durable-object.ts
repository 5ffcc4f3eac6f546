/** One object per user code: what a device asks for, and what the person has answered. Its alarm deletes it. */
import { DurableObject } from "cloudflare:workers";
import type { AskingDevice } from "./device";

/** How long a device waits between two questions, and by how much longer after each that came too early. */
export const INTERVAL_SECONDS = 5;
/** Clocks and networks are not exact. */
const SLACK_MS = 1_000;

/** What a device asks for. */
export interface DeviceAsk extends AskingDevice {
  clientId: string;
  /** What it has sent, as a query. */
  params: string;
}

/** What the app is sent: a code, or an error. */
export type DeviceAnswer = Readonly<Record<string, string>>;

/** How the request of a device stands. */
export type DeviceStanding = "pending" | "too early" | "over" | DeviceAnswer;

interface Kept {
  ask: DeviceAsk;
  answer: DeviceAnswer | null;
  /** When the device may ask again (Unix ms), and how long it then has to wait. */
  nextAtMs: number;
  waitMs: number;
}

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class DeviceRequest extends DurableObject {
  /** Returns false if another device has the code. */
  async begin(ask: DeviceAsk): Promise<boolean> {
    if (this.#read()) return false;
    this.#save({ ask, answer: null, nextAtMs: 0, waitMs: INTERVAL_SECONDS * 1000 });
    await this.ctx.storage.setAlarm(ask.expiresAt);
    return true;
  }

  /** What a device asks for; null when none does, or when it has its answer. */
  read(): DeviceAsk | null {
    const kept = this.#read();
    return kept && kept.answer === null ? kept.ask : null;
  }

  /** Stores the answer to the request `id`. The first one stands: returns false for any other. */
  answer(id: string, answer: DeviceAnswer): boolean {
    const kept = this.#read();
    if (kept?.ask.id !== id || kept.answer !== null) return false;
    this.#save({ ...kept, answer });
    return true;
  }

  /** The device asks for its answer. */
  poll(id: string): DeviceStanding {
    const kept = this.#read();
    if (kept?.ask.id !== id) return "over";
    if (kept.answer !== null) return kept.answer;
    const nowMs = Date.now();
    const isEarly = nowMs < kept.nextAtMs;
    const waitMs = isEarly ? kept.waitMs + INTERVAL_SECONDS * 1000 : kept.waitMs;
    this.#save({ ...kept, waitMs, nextAtMs: nowMs + waitMs - SLACK_MS });
    return isEarly ? "too early" : "pending";
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  #read(): Kept | null {
    const kept = this.ctx.storage.kv.get<Kept>("kept");
    return kept && kept.ask.expiresAt > Date.now() ? kept : null;
  }

  #save(kept: Kept): void {
    this.ctx.storage.kv.put("kept", kept);
  }
}
