/**
 * One object per email address, with its wrong guesses and its lock. Both are stored, so that they survive an eviction.
 */
import { DurableObject } from "cloudflare:workers";
import { CleanUp } from "./clean-up";
import {
  factorsAfterReset,
  forgetAtMs,
  type GuessPool,
  giveBack,
  type LockState,
  passwordsAfterReset,
  reserve,
  UNLOCKED,
  usePass,
  wrongOf,
} from "./lock";

/** The result of a guess: right, wrong, or not checked because of a fault in the service. */
export type GuessOutcome = "right" | "wrong" | "unchecked";

/** A guess is refused for `retryAfterSeconds`; if that is 0, it may be checked. */
export interface GuessReservation {
  retryAfterSeconds: number;
  /** How long the guess would be refused if no password reset allowed it; 0 if there is no lock. */
  passedLockSeconds: number;
}

interface Stored {
  state: LockState;
  forgetAtMs: number;
}

/**
 * A guess counts as wrong if its result is not reported within this time: its Worker has died or cannot reach the
 * object.
 */
const UNSETTLED_MS = 5_000;
const POOLS = ["password", "totp", "code"] as const satisfies readonly GuessPool[];
/** The pools whose lock refuses a guess unless the caller names others. A lock of mailed codes refuses only those. */
const LOGIN_POOLS: readonly GuessPool[] = ["password", "totp"];

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class AccountLock extends DurableObject {
  /** Guesses that are being checked. Not stored, because the stored count includes them as wrong guesses. */
  #unsettled: { pool: GuessPool; untilMs: number }[] = [];
  /** Callers that wait for one of them to be settled. */
  #waiting: (() => void)[] = [];
  readonly #cleanUp = new CleanUp(this.ctx);

  /**
   * Counts one guess as wrong before it is checked. While guesses that would start a lock are still being checked, the
   * next guess waits for them, so that many right guesses at once lock nobody out. A lock of one of the pools in
   * `boundBy` refuses the guess.
   */
  async reserve(pool: GuessPool, boundBy: readonly GuessPool[] = LOGIN_POOLS): Promise<GuessReservation> {
    for (;;) {
      const nowMs = Date.now();
      const lockSeconds = this.#lockSeconds(boundBy, nowMs);
      if (lockSeconds === 0) {
        this.#unsettled.push({ pool, untilMs: nowMs + UNSETTLED_MS });
        await this.#save(pool, reserve(this.#read(pool), nowMs), nowMs);
        return { retryAfterSeconds: 0, passedLockSeconds: 0 };
      }
      if (!(await this.#anySettled(nowMs))) return this.#reserveOnPass(pool, lockSeconds, nowMs);
    }
  }

  /** Reports the outcome of a reserved guess. Returns true when it was the last wrong one before a lock. */
  async settle(pool: GuessPool, outcome: GuessOutcome, { onPass }: { onPass: boolean }): Promise<boolean> {
    const nowMs = Date.now();
    const index = onPass ? -1 : this.#unsettled.findIndex((guess) => guess.pool === pool);
    if (index >= 0) this.#unsettled.splice(index, 1);
    if (outcome === "right") this.ctx.storage.kv.delete(pool);
    if (outcome === "unchecked" && !onPass) await this.#save(pool, giveBack(this.#read(pool), nowMs), nowMs);
    for (const resume of this.#waiting.splice(0)) resume();
    const state = this.#read(pool);
    const isLast = !this.#unsettled.some((guess) => guess.pool === pool);
    return outcome === "wrong" && !onPass && isLast && state.attempts === 0 && state.lockedUntilMs > nowMs;
  }

  /**
   * Returns how many guesses were wrong since the last right one, including those being checked and those before a
   * lock.
   */
  wrongGuesses(): number {
    return Math.max(...POOLS.map((pool) => wrongOf(this.#read(pool))));
  }

  /** After a password reset: see `passwordsAfterReset` and `factorsAfterReset`. */
  async passwordReset(): Promise<void> {
    const nowMs = Date.now();
    await this.#save("password", passwordsAfterReset(nowMs), nowMs);
    const factors = this.#read("totp");
    if (factors !== UNLOCKED) await this.#save("totp", factorsAfterReset(factors, nowMs), nowMs);
  }

  /** Deletes everything stored once all of it has been forgotten. */
  override async alarm(): Promise<void> {
    const ends = POOLS.map((pool) => this.ctx.storage.kv.get<Stored>(pool)?.forgetAtMs ?? 0);
    await this.#cleanUp.run(Math.max(...ends));
  }

  async #reserveOnPass(pool: GuessPool, lockSeconds: number, nowMs: number): Promise<GuessReservation> {
    const refused = { retryAfterSeconds: lockSeconds, passedLockSeconds: 0 };
    // A reset proves access to the mailbox, which is not a second factor, so the lock of second factors stands.
    if (pool !== "password" || this.#read("totp").lockedUntilMs > nowMs) return refused;
    const state = usePass(this.#read("password"), nowMs);
    if (!state) return refused;
    await this.#save("password", state, nowMs);
    return { retryAfterSeconds: 0, passedLockSeconds: lockSeconds };
  }

  #lockSeconds(pools: readonly GuessPool[], nowMs: number): number {
    const lockedUntilMs = Math.max(...pools.map((pool) => this.#read(pool).lockedUntilMs));
    return Math.max(0, Math.ceil((lockedUntilMs - nowMs) / 1000));
  }

  /** Waits until one of the guesses being checked is settled or overdue. Returns false when there is none. */
  async #anySettled(nowMs: number): Promise<boolean> {
    this.#unsettled = this.#unsettled.filter((guess) => guess.untilMs > nowMs);
    const [oldest] = this.#unsettled;
    if (!oldest) return false;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      setTimeout(resolve, oldest.untilMs - nowMs);
    });
    return true;
  }

  #read(pool: GuessPool): LockState {
    const stored = this.ctx.storage.kv.get<Stored>(pool);
    return stored && stored.forgetAtMs > Date.now() ? stored.state : UNLOCKED;
  }

  async #save(pool: GuessPool, state: LockState, nowMs: number): Promise<void> {
    const stored: Stored = { state, forgetAtMs: forgetAtMs(state, nowMs) };
    this.ctx.storage.kv.put(pool, stored);
    await this.#cleanUp.setAlarm(stored.forgetAtMs);
  }
}
