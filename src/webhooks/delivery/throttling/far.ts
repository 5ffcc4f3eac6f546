/**
 * New deliveries of a subscription whose line is so long that no run could start them go to its end without being
 * claimed. So a burst of limited deliveries takes the database and the runs hardly any time.
 */
import { timeOfId } from "../../../base/db/ids";
import type { ShardKey } from "../../../base/messages";
import { isInMain } from "../../plane/outbox-store";
import { FAR_START_MS, ID_BEFORE_MS, TARGET_FRESH_FOR_MS } from "../../plane/timing";
import { type Line, memory } from "../isolate-memory";
import type { Claimed, Run } from "../run-states";
import { type Deferral, deferNew } from "./defer";
import { askSchedule } from "./demand";
import { type Limits, textOf } from "./limits";

/** So that one statement does not hold up the others of a database for long. */
const MAX_DEFERRED = 250;

/** Notes that a new delivery waits until `untilMs` (Unix ms), behind the line of its subscription. */
export function noteWait({ subscriptionId, readMs }: Claimed, limits: Limits, untilMs: number): void {
  const known = memory.lines.get(subscriptionId);
  const endMs = known && textOf(known.limits) === textOf(limits) ? Math.max(known.endMs, untilMs) : untilMs;
  memory.lines.set(subscriptionId, { limits, readMs, endMs });
}

export class FarDeliveries {
  readonly #run: Run;
  /** The deliveries that it has tried to defer: whether the answer is still to come. */
  readonly #isOpen = new Map<ShardKey, boolean>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** Whether it is not known yet if some delivery must be claimed. */
  get isAsking(): boolean {
    return this.#isOpen.values().some(Boolean);
  }

  /** Whether it is not known yet if the delivery must be claimed. */
  isDeferring = (key: ShardKey): boolean => this.#isOpen.get(key) ?? false;

  /**
   * Defers those of `waiting` that are far from their starts, in the background. Calls `onDeferred` with those that
   * need nothing more from this run; it must claim the others.
   */
  defer(waiting: () => readonly ShardKey[], onDeferred: (keys: readonly ShardKey[]) => void): void {
    if (memory.lines.size === 0) return;
    const far = waiting().filter((key) => !this.#isOpen.has(key) && isNew(key) && this.#lineOf(key) !== null);
    for (const ofLine of Map.groupBy(far, ({ shard, subscriptionId }) => `${shard} ${subscriptionId}`).values()) {
      for (const key of ofLine) this.#isOpen.set(key, true);
      this.#run.deps.background("defer new deliveries", this.#deferLine(ofLine, onDeferred));
    }
  }

  /** The line of a subscription, if it is long and known to be so. */
  #lineOf({ subscriptionId }: ShardKey): Line | null {
    const line = memory.lines.get(subscriptionId);
    const nowMs = this.#run.deps.now();
    if (!line || line.endMs <= nowMs + FAR_START_MS || nowMs - line.readMs > TARGET_FRESH_FOR_MS) return null;
    return line;
  }

  async #deferLine(keys: readonly ShardKey[], onDeferred: (keys: readonly ShardKey[]) => void): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_DEFERRED) {
      const part = keys.slice(start, start + MAX_DEFERRED);
      // A database that fails here fails the claim too, which says so.
      const waiting = await this.#deferPart(part).catch(() => new Set<string>());
      for (const key of part) this.#isOpen.set(key, false);
      onDeferred(part.filter(({ id }) => waiting.has(id)));
    }
  }

  async #deferPart(keys: readonly ShardKey[]): Promise<ReadonlySet<string>> {
    const [first] = keys;
    const line = first && this.#lineOf(first);
    if (!line) return new Set();
    const demands = keys.map(({ id }) => ({ id, priority: "new" as const }));
    const answers = await askSchedule(this.#run.deps, first, line.limits, {
      demands,
      ended: [],
      called: [],
      holder: "",
      latestMs: 0,
    });
    const deferrals = keys.flatMap((delivery, position): Deferral<ShardKey>[] => {
      const answer = answers?.[position];
      return answer?.kind === "wait" ? [{ delivery, ...answer, limits: line.limits }] : [];
    });
    if (deferrals.length === 0) return new Set();
    line.endMs = Math.max(line.endMs, ...deferrals.map(({ untilMs }) => untilMs));
    return deferNew(this.#run, first.shard, deferrals);
  }
}

/** Whether a delivery has probably not waited yet. One that has does not go to the end of the line again. */
const isNew = (key: ShardKey): boolean => isInMain(key) && key.dueAt <= timeOfId(key.id) + ID_BEFORE_MS;
