/**
 * One simulated hour of one delivery database: traffic at the full rate, in all of the hour or in some seconds of it,
 * and retention beside it.
 */

import { createDb, type Db } from "../../../src/base/db/client";
import { newId, newIdAt } from "../../../src/base/db/ids";
import type { Deps } from "../../../src/base/deps";
import type { DeliveryMessage, OutboxKey } from "../../../src/base/messages";
import { begin, runJobs } from "../../../src/service/upkeep/run-jobs";
import { JOBS } from "../../../src/upkeep";
import { type ClaimedDelivery, claimDeliveries } from "../../../src/webhooks/delivery/claim-store";
import type { SweptAt } from "../../../src/webhooks/delivery/overdue";
import { type AttemptResult, recordAttempts } from "../../../src/webhooks/delivery/record-store";
import { sweepShard } from "../../../src/webhooks/delivery/sweep";
import { acceptEvents } from "../../../src/webhooks/events/accept-store";
import type { QueueSpeed } from "../../../src/webhooks/plane/enqueue";
import { MAX_SENDS_OF_RUN, MAX_SWEEP_INTERVAL_MS, MIN_SWEEP_INTERVAL_MS } from "../../../src/webhooks/plane/timing";
import { Agenda } from "./agenda";
import type { Meter } from "./meter";
import type { HourResult, Minute } from "./report";
import { exponential, resultOf } from "./result";
import * as traffic from "./traffic";

const MINUTE_MS = 60_000;
/** About as many as `planClaim` takes at these latencies. */
const CLAIM_KEYS = 40;
/** About as long as a record takes, during which the next results gather. */
const GATHERED_MS = 10;

interface Options {
  shard: number;
  meter: Meter;
  startMs: number;
  seconds: number;
  /** The database, which tells the meter of its calls. */
  database: D1Database;
  onMinute: (minute: Minute) => void;
}

type Manner = Parameters<typeof claimDeliveries>[1];

export class SimulatedHour {
  readonly #deps: Deps;
  /** For retention, which waits for the database as others do. */
  readonly #upkeep: Deps;
  readonly #db: Db;
  readonly #shard: number;
  readonly #meter: Meter;
  readonly #agenda: Agenda;
  readonly #sweptAt: SweptAt = new Map();
  readonly #endMs: number;
  readonly #onMinute: (minute: Minute) => void;
  /** D1 runs one call after the other. */
  #busyUntilMs = 0;
  readonly #result: HourResult = {
    events: 0,
    deliveries: 0,
    succeeded: 0,
    exhausted: 0,
    messages: 0,
    sweeps: 0,
    latenessMs: [],
    retentionMs: 0,
  };

  /** Events are published in the first `seconds` of the hour. `onMinute` is told how each minute of them ended. */
  constructor(deps: Deps, { shard, meter, startMs, seconds, database, onMinute }: Options) {
    this.#agenda = new Agenda(startMs);
    this.#endMs = startMs + seconds * 1000;
    this.#onMinute = onMinute;
    const queue = (speed: QueueSpeed) => this.#queue(speed) as unknown as Queue<DeliveryMessage>;
    this.#deps = {
      ...deps,
      now: () => this.#agenda.nowMs,
      deliveryQueues: { numbers: [0], of: () => ({ fast: queue("fast"), slow: queue("slow") }) },
      background: () => {},
    };
    this.#db = this.#deps.shards.db(shard);
    const waiting = createDb(this.#waited(database), deps.trips);
    this.#upkeep = {
      ...this.#deps,
      shards: { ...deps.shards, db: () => waiting },
      wait: (ms) => this.#agenda.waitUntil(this.#agenda.nowMs + ms),
    };
    this.#shard = shard;
    this.#meter = meter;
  }

  async run(): Promise<HourResult> {
    const startMs = this.#agenda.nowMs;
    this.#publishFrom(startMs);
    this.#agenda.at(startMs + MIN_SWEEP_INTERVAL_MS, () => this.#sweep());
    this.#agenda.start(startMs, () => this.#maintain());
    for (let minuteMs = startMs + MINUTE_MS; minuteMs <= this.#endMs; minuteMs += MINUTE_MS) {
      this.#agenda.at(minuteMs, async () => this.#tell());
    }
    await this.#agenda.run();
    return this.#result;
  }

  #tell(): void {
    const { deliveries, succeeded, exhausted, retentionMs } = this.#result;
    const open = deliveries - succeeded - exhausted;
    this.#onMinute({ deliveries, open, sizeBytes: this.#meter.sizeBytes, isRetentionDone: retentionMs > 0 });
  }

  /** The runs of the upkeep object, as many as it takes. */
  async #maintain(): Promise<void> {
    const startMs = this.#agenda.nowMs;
    let open = begin(JOBS, [], "hour", this.#shard);
    for (let mayContinue = true; mayContinue; ) {
      ({ open, mayContinue } = await runJobs(this.#upkeep, JOBS, open, this.#shard));
    }
    if (open.length > 0) throw new Error(`upkeep failed: ${open.map(({ name }) => name).join(", ")}`);
    this.#result.retentionMs = Math.max(1, this.#agenda.nowMs - startMs);
  }

  /** The database as a process sees it, whose calls wait for each other's. */
  #waited(database: D1Database): D1Database {
    return {
      prepare: (query: string) => database.prepare(query),
      batch: async (statements: D1PreparedStatement[]) => {
        await this.#agenda.waitUntil(Math.max(this.#agenda.nowMs, this.#busyUntilMs));
        this.#meter.phase = "retention";
        const results = await database.batch(statements);
        await this.#agenda.waitUntil(this.#answeredAt(this.#agenda.nowMs));
        return results;
      },
    } as D1Database;
  }

  /** Notes that the call that has just been made begins at `startMs`. Returns when its answer arrives. */
  #answeredAt(startMs: number): number {
    this.#busyUntilMs = startMs + traffic.D1_CALL_MS + traffic.D1_ROW_MS * this.#meter.lastRowsWritten;
    return Math.round(this.#busyUntilMs + traffic.D1_NETWORK_MS);
  }

  #publishFrom(timeMs: number): void {
    if (timeMs >= this.#endMs) return;
    this.#agenda.at(Math.round(timeMs), async () => {
      this.#publishFrom(timeMs + exponential(1000 / traffic.EVENTS_PER_SECOND));
      await this.#publish();
    });
  }

  async #publish(): Promise<void> {
    const width = pickWidth();
    const tenant = Math.floor(Math.random() * traffic.TENANTS_PER_SHARD);
    const number = Math.floor(Math.random() * traffic.SUBSCRIPTIONS_PER_TENANT);
    const event = {
      id: newIdAt(this.#agenda.nowMs),
      type: traffic.eventType(width, number),
      payload: { short: "x".repeat(traffic.PAYLOAD_BYTES) },
      bytes: traffic.PAYLOAD_BYTES,
      correlationId: null,
      idempotencyKey: null,
      requestHash: null,
    };
    await this.#call(
      "accept",
      (nowMs) => acceptEvents(this.#db, { tenantId: traffic.tenantId(this.#shard, tenant) }, [event], 1_000, nowMs),
      async ({ due }) => {
        this.#result.events += 1;
        this.#result.deliveries += due.length;
        if (due.length !== width) throw new Error(`an event made ${due.length} deliveries instead of ${width}`);
        this.#send(due, "fast", 0);
      },
    );
  }

  /** Runs one D1 call when the database is free, and `then` when its answer has arrived. */
  async #call<T>(
    phase: string,
    call: (nowMs: number) => Promise<T>,
    then: (answer: T) => Promise<void>,
  ): Promise<void> {
    const startMs = Math.max(this.#agenda.nowMs, this.#busyUntilMs);
    this.#meter.phase = phase;
    const answer = await call(Math.round(startMs));
    this.#agenda.at(this.#answeredAt(startMs), () => then(answer));
  }

  #queue(speed: QueueSpeed) {
    return {
      metrics: () => Promise.reject(new Error("no metrics")),
      sendBatch: async (messages: { body: DeliveryMessage; delaySeconds?: number }[]) => {
        for (const { body, delaySeconds } of messages) this.#send(body.due, speed, (delaySeconds ?? 0) * 1000);
      },
    };
  }

  #send(keys: readonly OutboxKey[], speed: QueueSpeed, delayMs: number): void {
    this.#result.messages += 1;
    if (Math.random() < traffic.LOST_MESSAGES_SHARE) return;
    const lastDueMs = Math.max(...keys.map(({ dueAt }) => dueAt));
    const arrivesMs = this.#agenda.nowMs + delayMs + traffic.MESSAGE_MS;
    this.#agenda.at(Math.max(arrivesMs, lastDueMs), () => this.#deliver([...keys], speed));
  }

  async #deliver(keys: OutboxKey[], speed: QueueSpeed): Promise<void> {
    const claim = newId();
    const next = keys.splice(0, CLAIM_KEYS);
    await this.#claim(next, { speed, claim, isOrdinary: true }, (endMs) => {
      if (keys.length > 0) this.#agenda.at(endMs, () => this.#deliver(keys, speed));
    });
  }

  /** Claims as a run does: what an ordinary claim leaves, thoroughly. `onSent` gets the end of the last send. */
  #claim(keys: readonly OutboxKey[], manner: Manner, onSent: (endMs: number) => void): Promise<void> {
    return this.#call(
      "claim",
      (nowMs) => claimDeliveries(this.#db, manner, keys, nowMs),
      async ({ claimed, slow, left }) => {
        if (slow.length > 0) this.#send(slow, "slow", 0);
        onSent(this.#attempt(claimed, manner.claim));
        const rest = keys.filter(({ id }) => left.has(id));
        if (rest.length > 0) await this.#claim(rest, { ...manner, isOrdinary: false }, () => undefined);
      },
    );
  }

  /**
   * Sends as many at a time as a run does. Results that arrive within 100 ms are recorded together. Returns when the
   * last send ends.
   */
  #attempt(claimed: readonly ClaimedDelivery[], claim: string): number {
    const places = Array.from({ length: MAX_SENDS_OF_RUN }, () => this.#agenda.nowMs);
    const results = claimed.map((delivery) => {
      const startedAt = Math.min(...places);
      this.#result.latenessMs.push(startedAt - delivery.dueAt);
      const result = resultOf(delivery, startedAt);
      places[places.indexOf(startedAt)] = result.completedAt;
      return result;
    });
    results.sort((a, b) => a.completedAt - b.completedAt);
    while (results.length > 0) {
      const recordMs = (results[0]?.completedAt ?? 0) + GATHERED_MS;
      const later = results.findIndex(({ completedAt }) => completedAt > recordMs);
      const together = results.splice(0, later < 0 ? results.length : later);
      this.#agenda.at(recordMs, () => this.#record(together, claim));
    }
    return Math.max(...places);
  }

  #record(results: AttemptResult[], claim: string): Promise<void> {
    return this.#call(
      "record",
      () => recordAttempts(this.#db, claim, results),
      async ({ recorded }) => {
        if (recorded.size !== results.length) throw new Error("a result was not recorded");
        for (const { status, nextDueAt, queue, id, subscriptionId, bytes } of results) {
          if (status === "success") this.#result.succeeded += 1;
          else if (nextDueAt === null) this.#result.exhausted += 1;
          else {
            const delayMs = Math.floor((nextDueAt - this.#agenda.nowMs) / 1000) * 1000;
            this.#send([{ queue, dueAt: nextDueAt, id, subscriptionId, bytes }], "slow", delayMs);
          }
        }
      },
    );
  }

  /** Sweeps again as the Sweeper would, until nothing is owed. */
  async #sweep(): Promise<void> {
    this.#result.sweeps += 1;
    this.#meter.phase = "sweep";
    const startMs = this.#agenda.nowMs;
    const nextMs = await sweepShard(this.#deps, this.#shard, this.#sweptAt);
    const isOwed = this.#result.succeeded + this.#result.exhausted < this.#result.deliveries;
    if (nextMs === null && !isOwed && startMs >= this.#endMs) return;
    const latestMs = startMs + MAX_SWEEP_INTERVAL_MS;
    this.#agenda.at(Math.max(startMs + MIN_SWEEP_INTERVAL_MS, Math.min(nextMs ?? latestMs, latestMs)), () =>
      this.#sweep(),
    );
  }
}

function pickWidth(): number {
  const at = Math.random();
  let sum = 0;
  for (const { width, share } of traffic.EVENT_KINDS) {
    sum += share;
    if (at < sum) return width;
  }
  return 1;
}
