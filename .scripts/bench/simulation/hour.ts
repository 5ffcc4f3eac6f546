/**
 * One simulated hour of one delivery database: some seconds of traffic at the full rate, the rest of its deliveries,
 * then retention.
 */
import { begin, runJobs } from "../../../src/operations/upkeep/run-jobs";
import type { Db } from "../../../src/platform/db/client";
import { newId, newIdAt } from "../../../src/platform/db/ids";
import type { Deps } from "../../../src/platform/deps";
import type { DeliveryMessage, OutboxKey } from "../../../src/platform/messages";
import { JOBS } from "../../../src/upkeep";
import { type ClaimedDelivery, claimDeliveries } from "../../../src/webhooks/delivery/claim-store";
import type { QueueSpeed } from "../../../src/webhooks/delivery/enqueue";
import { type AttemptResult, recordAttempts } from "../../../src/webhooks/delivery/record-store";
import { type SweptAt, sweepShard } from "../../../src/webhooks/delivery/sweep";
import {
  GATHER_MS,
  MAX_SENDS_OF_RUN,
  MAX_SWEEP_INTERVAL_MS,
  MIN_SWEEP_INTERVAL_MS,
} from "../../../src/webhooks/delivery/timing";
import { retryPolicy, verdictOf } from "../../../src/webhooks/delivery/verdict";
import { acceptEvents } from "../../../src/webhooks/events/accept-store";
import { Agenda } from "./agenda";
import type { Meter } from "./meter";
import type { HourResult } from "./report";
import * as traffic from "./traffic";

/** About as many as `planClaim` takes at these latencies. */
const CLAIM_KEYS = 40;

export class SimulatedHour {
  readonly #deps: Deps;
  readonly #db: Db;
  readonly #shard: number;
  readonly #meter: Meter;
  readonly #agenda: Agenda;
  readonly #sweptAt: SweptAt = new Map();
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
  };

  constructor(deps: Deps, shard: number, meter: Meter, startMs: number) {
    this.#agenda = new Agenda(startMs);
    const queue = (speed: QueueSpeed) => this.#queue(speed) as unknown as Queue<DeliveryMessage>;
    this.#deps = {
      ...deps,
      now: () => this.#agenda.nowMs,
      deliveryQueues: { numbers: [0], of: () => ({ fast: queue("fast"), slow: queue("slow") }) },
      background: () => {},
    };
    this.#db = deps.shards.db(shard);
    this.#shard = shard;
    this.#meter = meter;
  }

  async run(): Promise<HourResult> {
    const startMs = this.#agenda.nowMs;
    const endMs = startMs + traffic.SECONDS_PER_HOUR * 1000;
    for (let atMs = startMs; atMs < endMs; atMs += exponential(1000 / traffic.EVENTS_PER_SECOND)) {
      const timeMs = Math.round(atMs);
      this.#agenda.at(timeMs, () => this.#publish());
    }
    this.#agenda.at(startMs + MIN_SWEEP_INTERVAL_MS, () => this.#sweep());
    await this.#agenda.run();
    this.#meter.phase = "retention";
    await this.#maintain();
    return this.#result;
  }

  /** The runs of the upkeep object, as many as it takes. */
  async #maintain(): Promise<void> {
    let open = begin(JOBS, [], "hour", this.#shard);
    for (let mayContinue = true; mayContinue; ) {
      ({ open, mayContinue } = await runJobs(this.#deps, JOBS, open, this.#shard));
    }
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
      (nowMs) => acceptEvents(this.#db, traffic.tenantId(this.#shard, tenant), [event], 1_000, nowMs),
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
    this.#busyUntilMs = startMs + traffic.D1_CALL_MS + traffic.D1_ROW_MS * this.#meter.lastRowsWritten;
    this.#agenda.at(Math.round(this.#busyUntilMs + traffic.D1_NETWORK_MS), () => then(answer));
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
    await this.#call(
      "claim",
      (nowMs) => claimDeliveries(this.#db, { speed, claim }, next, nowMs),
      async ({ claimed, slow }) => {
        if (slow.length > 0) this.#send(slow, "slow", 0);
        const endMs = this.#attempt(claimed, claim);
        if (keys.length > 0) this.#agenda.at(endMs, () => this.#deliver(keys, speed));
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
      const recordMs = (results[0]?.completedAt ?? 0) + GATHER_MS;
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
        for (const { status, nextDueAt, queue, deliveryId, subscriptionId, bytes } of results) {
          if (status === "success") this.#result.succeeded += 1;
          else if (nextDueAt === null) this.#result.exhausted += 1;
          else {
            const delayMs = Math.floor((nextDueAt - this.#agenda.nowMs) / 1000) * 1000;
            this.#send([{ queue, dueAt: nextDueAt, id: deliveryId, subscriptionId, bytes }], "slow", delayMs);
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
    if (nextMs === null && !isOwed) return;
    const latestMs = startMs + MAX_SWEEP_INTERVAL_MS;
    this.#agenda.at(Math.max(startMs + MIN_SWEEP_INTERVAL_MS, Math.min(nextMs ?? latestMs, latestMs)), () =>
      this.#sweep(),
    );
  }
}

function resultOf(delivery: ClaimedDelivery, startedAt: number): AttemptResult {
  const isFailed = traffic.isDead(delivery.subscriptionId) || Math.random() < traffic.FAILING_SHARE;
  const completedAt = startedAt + Math.round(traffic.MIN_ANSWER_MS + exponential(traffic.MEAN_EXTRA_ANSWER_MS));
  const status = isFailed ? "failed" : "success";
  const outcome = {
    status,
    responseCode: isFailed ? 500 : 200,
    responseBody: "ok",
    error: isFailed ? "HTTP 500" : null,
    wasAnswered: true,
    timedOut: false,
    retryAfter: null,
    asksToAbort: false,
  } as const;
  const policy = retryPolicy(undefined);
  const verdict = verdictOf(policy, delivery.attemptCount, outcome, { startedAt, completedAt }, Math.random());
  return {
    queue: delivery.queue,
    dueAt: delivery.dueAt,
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    bytes: delivery.bytes,
    attemptId: delivery.attemptId,
    isRetry: 0,
    status,
    responseCode: outcome.responseCode,
    responseBody: outcome.responseBody,
    error: verdict.error,
    startedAt,
    completedAt,
    latencyMs: completedAt - startedAt,
    nextDueAt: verdict.nextDueAt,
    nextAttemptId: verdict.nextDueAt === null ? null : newIdAt(verdict.nextDueAt),
    slow: verdict.isSlow ? 1 : 0,
    heldUntil: null,
    gone: 0,
    probe: 0,
    mayBeGone: 0,
  };
}

const exponential = (mean: number): number => -mean * Math.log(1 - Math.random());

function pickWidth(): number {
  const at = Math.random();
  let sum = 0;
  for (const { width, share } of traffic.EVENT_KINDS) {
    sum += share;
    if (at < sum) return width;
  }
  return 1;
}
