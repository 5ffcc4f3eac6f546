/**
 * The states of a delivery in a run, and the only ways between them:
 *
 *     waiting ──claim──▶ claimed ──start──▶ sending ──answer──▶ recorded
 *        │                  │                  │
 *        └──────────────────┴──────────────────┴──▶ handed back
 *
 * "Handed back" is everything that this run does not send: queued again, deferred to a later time, or found to be
 * somebody else's. A key has one state in a run, however many messages have it. A delivery that has left its lane or
 * has got another time can be in a run with two keys, of which a claim finds the newer one.
 */
import type { Deps } from "../../base/deps";
import type { ShardKey } from "../../base/messages";
import type { QueueSpeed } from "../plane/enqueue";
import type { ClaimedDelivery } from "./claim-store";

/** What the parts of a run share. */
export interface Run {
  deps: Deps;
  /** The queue that its messages are from. */
  speed: QueueSpeed;
  /** The token of its claims. */
  claim: string;
}

/** A delivery that a run has claimed and holds until it is sent or handed back. */
export interface Claimed extends ClaimedDelivery {
  shard: number;
  /** When its subscription was read, Unix ms. */
  readMs: number;
  /** A delivery that has not started by then (Unix ms) is handed back. */
  startByMs: number;
  /** When it may start, Unix ms: 0 for at once, Infinity while that is not known. */
  startMs: number;
  /** Gives back its place, and subtracts its payload from the bytes that the isolate holds. */
  release: () => void;
}

type State = "waiting" | "claimed" | "sending" | "recorded" | "handed back";

const AFTER: Record<State, readonly State[]> = {
  waiting: ["claimed", "handed back"],
  claimed: ["sending", "handed back"],
  sending: ["recorded", "handed back"],
  recorded: [],
  "handed back": [],
};

const nameOf = ({ shard, queue, dueAt, id }: ShardKey) => `${shard} ${queue} ${dueAt} ${id}`;

export class RunStates {
  readonly #stateOf = new Map<string, State>();
  readonly #waiting = new Map<string, ShardKey>();
  readonly #claimed = new Map<string, Claimed>();
  readonly #sending = new Map<string, Claimed>();

  /** Adds the keys that the run has not met before, and returns them. */
  add(keys: readonly ShardKey[]): ShardKey[] {
    return keys.filter((key) => {
      const name = nameOf(key);
      if (this.#stateOf.has(name)) return false;
      this.#stateOf.set(name, "waiting");
      this.#waiting.set(name, key);
      return true;
    });
  }

  claim(delivery: Claimed): void {
    this.#claimed.set(this.#move(delivery, "claimed"), delivery);
  }

  send(delivery: Claimed): void {
    this.#sending.set(this.#move(delivery, "sending"), delivery);
  }

  /** Its result has gone to the recorder. */
  record(delivery: Claimed): void {
    this.#move(delivery, "recorded");
  }

  handBack(delivery: ShardKey): void {
    this.#move(delivery, "handed back");
  }

  get waiting(): ShardKey[] {
    return [...this.#waiting.values()];
  }

  /** Whether any delivery waits. Quicker than `waiting`, which can be thousands. */
  get anyWaits(): boolean {
    return this.#waiting.size > 0;
  }

  get claimed(): Claimed[] {
    return [...this.#claimed.values()];
  }

  get sending(): Claimed[] {
    return [...this.#sending.values()];
  }

  is(key: ShardKey, state: State): boolean {
    return this.#stateOf.get(nameOf(key)) === state;
  }

  /** Whether every delivery is recorded or handed back. */
  get areFinal(): boolean {
    return this.#waiting.size + this.#claimed.size + this.#sending.size === 0;
  }

  /** Returns the name of the delivery. Throws when its state does not allow the move. */
  #move(delivery: ShardKey, to: State): string {
    const name = nameOf(delivery);
    const from = this.#stateOf.get(name);
    if (from === undefined || !AFTER[from].includes(to)) throw new Error(`a delivery that is ${from} becomes ${to}`);
    this.#stateOf.set(name, to);
    for (const left of [this.#waiting, this.#claimed, this.#sending]) left.delete(name);
    return name;
  }
}
