/**
 * The deliveries of limited subscriptions in one run. Their gates say when each should start. Those that should start soon stay in the run,
 * are claimed shortly before, and are then granted their starts. The others go back to the outbox until their slots.
 */
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { OutboxKey, ShardKey } from "../../platform/messages";
import { type ClaimedDelivery, releaseDeliveries } from "../delivery/claim-store";
import { enqueue, keyOnly, type QueueSpeed } from "../delivery/enqueue";
import {
  CLAIM_BEFORE_START_MS,
  CLAIM_WITH_FIRST_MS,
  LEAD_MS,
  LEAD_OF_CLAIMED_MS,
  STAYS_FOR_MS,
} from "../delivery/timing";
import { defer, deferralOf, postpone } from "./defer";
import type { Answer } from "./demand";
import { GateCalls, type StandingOf } from "./gate-calls";
import { noteMade, noteMissed } from "./lateness";
import { forgetLimited, noteLimited } from "./limited-here";
import type { Limits } from "./limits";
import { type Deferral, type LimitedDelivery, readLimited, readLine } from "./line-store";
import { tellIfThrottled } from "./throttled";

const CALLS_FOR_MS = 8_000;
/** How many deliveries one round trip reads. Small, because other deliveries wait in the meantime. */
const READ_ROWS = 250;

/** When a limited delivery should start. */
export interface Start {
  /** Unix ms. */
  atMs: number;
  /** Until when it may start, Unix ms; null unless the gate has granted the start. */
  latestMs: number | null;
  limits: Limits;
  limitsText: string;
}

/** A delivery that should start soon. Without `start`, its subscription is not limited, or its gate has not been asked. */
export interface StartingKey extends ShardKey {
  start?: Start | undefined;
}

type Starting<T> = T & { shard: number; start: Start };

export class Starts {
  readonly #deps: Deps;
  readonly #speed: QueueSpeed;
  /** The token of the run's claims. It also names the run to the gates. */
  readonly #claim: string;
  readonly #gates: GateCalls;
  /** Called when deliveries are planned. */
  readonly #onPlanned: () => void;
  #planned: Starting<OutboxKey>[] = [];
  /** The deliveries that the run asks about or has planned. Without this, a delivery that is called twice could be sent twice. */
  readonly #kept = new Set<string>();
  readonly #asking = new Set<Promise<void>>();
  /** After this the run no longer calls deliveries to places, because the runtime ends an invocation after 30 s. */
  readonly #endsCallsMs: number;
  /** Deliveries that should start after this go back to the outbox. */
  readonly #staysUntilMs: number;

  constructor(deps: Deps, speed: QueueSpeed, claim: string, onPlanned: () => void) {
    this.#onPlanned = onPlanned;
    this.#deps = deps;
    this.#speed = speed;
    this.#claim = claim;
    this.#gates = new GateCalls(deps, claim);
    this.#endsCallsMs = deps.now() + CALLS_FOR_MS;
    this.#staysUntilMs = deps.now() + STAYS_FOR_MS;
  }

  /** Whether no delivery of the run waits for its start or for an answer. */
  get areDone(): boolean {
    return this.#planned.length + this.#asking.size === 0;
  }

  /** The deliveries to claim now. Once the first one should be claimed, those that start soon after it are included. */
  get toClaim(): readonly Starting<OutboxKey>[] {
    const nowMs = this.#deps.now();
    if (this.nextClaimMs > nowMs) return [];
    return this.#planned.filter(({ start }) => start.atMs <= nowMs + CLAIM_WITH_FIRST_MS);
  }

  /** When the next delivery should be claimed, Unix ms; Infinity if there is none. */
  get nextClaimMs(): number {
    return Math.min(...this.#planned.map(({ start }) => start.atMs)) - CLAIM_BEFORE_START_MS;
  }

  /** Removes `keys` from the planned deliveries. */
  remove(keys: ReadonlySet<StartingKey>): void {
    this.#planned = this.#planned.filter((key) => !keys.has(key));
  }

  /** Removes and returns the deliveries to claim now. */
  takeToClaim(): Starting<OutboxKey>[] {
    const taken = [...this.toClaim];
    this.remove(new Set(taken));
    return taken;
  }

  /** Asks the gates of limited deliveries, in the background. */
  ask(shard: number, deliveries: readonly LimitedDelivery[]): void {
    for (const [subscriptionId, group] of Map.groupBy(deliveries, (delivery) => delivery.subscriptionId)) {
      noteLimited(subscriptionId);
      this.#inBackground("ask a gate", this.#ask(shard, group, standingOf));
    }
  }

  /** Reads deliveries and asks their gates, in the background. Keys whose subscriptions have no limits now go to `onOthers`. */
  readAndAsk(keys: readonly ShardKey[], onOthers: (keys: ShardKey[]) => void): void {
    for (const [shard, group] of Map.groupBy(keys, (key) => key.shard)) {
      this.#inBackground("read slots", this.#readAndAsk(shard, group, onOthers));
    }
  }

  async #readAndAsk(shard: number, keys: readonly ShardKey[], onOthers: (keys: ShardKey[]) => void): Promise<void> {
    for (let first = 0; first < keys.length; first += READ_ROWS) {
      const page = keys.slice(first, first + READ_ROWS);
      const deliveries = await readLimited(this.#deps.shards.db(shard), page);
      const limited = new Set(deliveries.map(({ subscriptionId }) => subscriptionId));
      const others = page.filter(({ subscriptionId }) => !limited.has(subscriptionId));
      for (const { subscriptionId } of others) forgetLimited(subscriptionId);
      this.ask(shard, deliveries);
      onOthers(others);
    }
  }

  /** Gives back the starts of deliveries that will not be sent now, and frees their places, in the background. */
  drop(keys: readonly StartingKey[]): void {
    this.release(keys);
    for (const key of keys) this.note(key, null);
    for (const [subscriptionId, [first]] of Map.groupBy(keys, (key) => key.subscriptionId)) {
      const { limits } = first?.start ?? {};
      if (limits) this.#inBackground("give back starts", this.#gates.tell({ subscriptionId, limits }));
    }
  }

  /** Notes for the gate when a granted start was made (Unix ms). Null means that it was not made and does not count. */
  note({ subscriptionId, start }: StartingKey, atMs: number | null): void {
    const { latestMs = null, limits } = start ?? {};
    if (limits && latestMs !== null && latestMs < Infinity) {
      this.#gates.note({ subscriptionId, limits }, { latestMs, atMs });
    }
  }

  /** Tells the gates which starts were made, in the background. Otherwise they would count for longer. */
  tellMade(): void {
    this.#inBackground("tell gates", this.#gates.tellAll());
  }

  /** Frees the places of deliveries that have ended or are not claimed, and calls the next deliveries to them, in the background. */
  release(keys: readonly StartingKey[]): void {
    for (const { shard, subscriptionId, id, start } of keys) {
      this.#kept.delete(id);
      if (start?.limits.maxConcurrent === undefined) continue;
      this.#inBackground("release a place", this.#release(shard, subscriptionId, id, start.limits));
    }
  }

  /**
   * Asks the gates for starts for claimed deliveries that have none or have missed theirs, in the background. Calls `onStart` for each
   * delivery that gets, by `latestMs`, a start or a time to ask again. Releases the others and calls `onRelease` for each of them.
   */
  askForStarts<T extends Starting<ClaimedDelivery>>(
    deliveries: readonly T[],
    {
      latestMs,
      onStart,
      onRelease,
    }: { latestMs: (delivery: T) => number } & Record<"onStart" | "onRelease", (delivery: T) => void>,
  ): void {
    const gates = Map.groupBy(deliveries, ({ subscriptionId, start }) => `${subscriptionId} ${start.limitsText}`);
    for (const group of gates.values()) {
      const work = async () => {
        const limited = group.map(limitedOf);
        for (const delivery of group) this.note(delivery, null);
        if (group.some(({ start }) => start.latestMs !== null)) noteMissed();
        const answers = await this.#gates.reserve(limited, standingOfClaimed, LEAD_OF_CLAIMED_MS);
        const left: number[] = [];
        for (const [position, delivery] of group.entries()) {
          const answer = answers?.[position];
          const start = answer && plannedStart(delivery.start, answer);
          if (!start || start.atMs > latestMs(delivery)) left.push(position);
          else onStart(Object.assign(delivery, { start }));
        }
        const released = left.flatMap((position) => group[position] ?? []);
        const [first] = released;
        if (!first) return;
        await releaseDeliveries(this.#deps.shards.db(first.shard), this.#claim, released);
        for (const delivery of released) onRelease(delivery);
        const waiting = left.flatMap((position) => limited[position] ?? []);
        const theirs = answers && left.flatMap((position) => answers[position] ?? []);
        await this.#follow(first.shard, waiting, theirs);
      };
      this.#inBackground("ask for starts", work());
    }
  }

  #inBackground(what: string, work: Promise<void>): void {
    const asking = work.catch((error: unknown) =>
      log("error", "background work failed", { what, ...describeError(error) }),
    );
    this.#asking.add(asking);
    this.#deps.background(
      what,
      asking.finally(() => this.#asking.delete(asking)),
    );
  }

  async #ask(shard: number, deliveries: readonly LimitedDelivery[], standing: StandingOf): Promise<void> {
    const asking = deliveries.filter(({ id }) => !this.#kept.has(id));
    for (const { id } of asking) this.#kept.add(id);
    await this.#follow(shard, asking, await this.#gates.reserve(asking, standing, LEAD_MS));
  }

  /** Acts on the gate's answers: plans starts, and puts the other deliveries back into the outbox. */
  async #follow(
    shard: number,
    deliveries: readonly LimitedDelivery[],
    answers: readonly Answer[] | null,
  ): Promise<void> {
    const deferrals: Deferral[] = [];
    const taken: { key: OutboxKey; untilMs: number }[] = [];
    for (const [position, delivery] of deliveries.entries()) {
      const answer = answers?.[position];
      if (answer?.kind === "taken") taken.push({ key: keyOnly(delivery), untilMs: answer.untilMs });
      const start = answer && plannedStart(delivery, answer);
      if (start && (start.latestMs !== null || start.atMs <= this.#staysUntilMs)) {
        this.#planned.push({ ...keyOnly(delivery), shard, start });
        continue;
      }
      if (start) this.release([{ ...keyOnly(delivery), shard, start }]);
      this.#kept.delete(delivery.id);
      const untilMs = answer?.kind === "wait" ? answer.untilMs : start?.atMs;
      if (untilMs !== undefined) deferrals.push(deferralOf(this.#deps, delivery, untilMs));
    }
    if (!answers) return postpone(this.#deps, this.#speed, shard, deliveries);
    this.#onPlanned();
    await this.#lookAgain(shard, taken);
    const [first] = deliveries;
    if (!first || deferrals.length === 0) return;
    await defer(this.#deps, this.#speed, shard, deferrals, first.limitsText);
    await tellIfThrottled(this.#deps, shard, first, answers);
  }

  /** Queues deliveries that other consumers are about to start, in case those consumers do not start them. */
  async #lookAgain(shard: number, taken: readonly { key: OutboxKey; untilMs: number }[]): Promise<void> {
    if (taken.length === 0) return;
    const waitMs = Math.max(...taken.map(({ untilMs }) => untilMs)) - this.#deps.now();
    const keys = taken.map(({ key }) => key);
    await enqueue(this.#deps, this.#speed, shard, keys, Math.max(0, Math.ceil(waitMs / 1_000)) + 1, { hasSlots: true });
  }

  async #release(shard: number, subscriptionId: string, id: string, limits: Limits): Promise<void> {
    const of = { subscriptionId, limits };
    const free = await this.#gates.release(of, id);
    if (free === 0) return;
    const next = await readLine(this.#deps.shards.db(shard), subscriptionId, free);
    if (next.length < free) await this.#gates.setWaiting(of, next.length);
    if (next.length === 0) return;
    if (this.#deps.now() < this.#endsCallsMs) return await this.#ask(shard, next, () => "next");
    await enqueue(this.#deps, this.#speed, shard, next.map(keyOnly), 0, { hasSlots: true });
  }
}

/** Waits for a start. Returns false when it has passed. */
export async function comesInTime({ atMs, latestMs }: Start, now: () => number): Promise<boolean> {
  for (let leftMs = atMs - now(); leftMs > 0; leftMs = atMs - now()) await scheduler.wait(leftMs);
  const isInTime = latestMs !== null && now() <= latestMs;
  if (isInTime) noteMade();
  return isInTime;
}

const standingOf: StandingOf = ({ isTest, slotAtMs }) => {
  if (isTest) return "test";
  return slotAtMs === null ? "new" : "back";
};

/** The standing of a delivery that stays in the run. */
const standingOfClaimed: StandingOf = ({ isTest }) => (isTest ? "test" : "back");

/** The start that an answer promises; undefined if the delivery must wait. */
function plannedStart(
  { limits, limitsText }: Pick<LimitedDelivery, "limits" | "limitsText">,
  answer: Answer,
): Start | undefined {
  if (answer.kind === "start") return { atMs: answer.atMs, latestMs: answer.latestMs, limits, limitsText };
  return answer.kind === "soon" ? { atMs: answer.atMs, latestMs: null, limits, limitsText } : undefined;
}

function limitedOf(delivery: Starting<ClaimedDelivery>): LimitedDelivery {
  const { limits, limitsText, atMs, latestMs } = delivery.start;
  const slotAtMs = latestMs === null ? atMs : null;
  return { ...keyOnly(delivery), isTest: delivery.kind === "test", slotAtMs, limits, limitsText };
}
