/**
 * One seeded schedule: what clients, operators and the platform do to a few deliveries, until nothing is owed any more.
 */

import { AppError } from "../../../src/base/errors";
import { SYSTEM } from "../../../src/base/schemas/actor";
import { type EventInput, publishEvents } from "../../../src/webhooks/events/publish";
import { retryDelivery, retryFailed, retryLatest, sendTest } from "../../../src/webhooks/resend/retry";
import * as retention from "../../../src/webhooks/retention/remove";
import { changeSubscription } from "../../../src/webhooks/subscriptions/changes";
import { deleteSubscription } from "../../../src/webhooks/subscriptions/store";
import { maintain } from "../upkeep";
import type { Coverage, Crowd, FaultPlan } from "./faults";
import { isOwed, type Publication, type Rows, readRows, type Subscriber, violations } from "./ledger";
import { type Random, seeded } from "./random";
import { addFanOut, addSubscribers, EVENT_TYPE, removeTenant } from "./rows";
import { World } from "./world";

/** Every schedule has its own time, so that it runs the same way alone and after others. */
const FIRST_START_MS = Date.UTC(2040, 0, 1);
const START_EVERY_MS = 40 * 86_400_000;
/** Whatever has not ended by then is stuck. */
const DEADLINE_MS = 60 * 60_000;

/** One tenant for all schedules, because creating the objects that count for a tenant is slow. */
const TENANT_ID = "tenant";
const TENANT = {
  tenantId: TENANT_ID,
  shard: 0,
  hasVerifiedOwner: true,
  userId: "",
  permissions: new Set<never>(),
  actor: SYSTEM,
};

/** `calls`: calls fail and messages get lost. `crashes`: invocations are killed and a database is down, too. */
export type Theme = "calls" | "crashes";

/** Every remote call in the life of a delivery. Each is the focus of some schedules. */
export const CALLS = [
  ...["RateLimiter.consume", "acceptEvents", "fast sendBatch", "slow sendBatch", "writeFanOutPages"],
  ...["claimDeliveries", "readTargets", "releaseDeliveries", "fetch", "recordAttempts", "markSlow", "moveToLanes"],
  ...["Sweeper start", "Sweeper put", "Sweeper get", "Sweeper delete", "Sweeper getAlarm", "Sweeper setAlarm"],
  ...["fast metrics", "slow metrics", "readOverdue", "findLaneEnds", "advanceLanes", "endEmptyLanes", "nextMoments"],
  ...["readUnfinishedFanOuts", "insertRetry", "insertRetries", "insertTest"],
  ...["deleteOldAttempts", "deleteOldEvents", "deleteOldHours", "deleteOldKeys", "deleteEmptySubscriptions"],
] as const;
type Call = (typeof CALLS)[number];

/** The call that the schedule of a seed is about. */
export const focusOf = (seed: number): Call => CALLS[seed % CALLS.length] ?? "fetch";

/** Each call is the focus of as many schedules of either theme: some of its faults happen in one theme only. */
export const themeOf = (seed: number): Theme => (Math.floor(seed / CALLS.length) % 2 === 0 ? "calls" : "crashes");

const RETENTION = [
  ...[retention.removeOldAttempts, retention.removeOldEvents, retention.removeOldHours],
  ...[
    retention.removeOldKeys,
    retention.removeOldNumbers,
    retention.removeOldRetries,
    retention.removeEmptySubscriptions,
  ],
];

const CROWDS: Partial<Record<Call, Crowd>> = {
  // Only with such a crowd does a delivery wait so long that its subscription is read again.
  readTargets: { subscribers: 3, behaviour: "200?holdMs=1050", events: 3 },
  // Only deliveries that wait for a subscription with three sends in progress move to its lane.
  moveToLanes: { subscribers: 1, behaviour: "200?holdMs=6000", events: 8 },
};

function planOf(theme: Theme, focus: Call, random: Random, startMs: number): FaultPlan {
  const isCrash = theme === "crashes";
  const kills = isCrash ? random.integer(0, 3) : 0;
  const outages = isCrash ? random.pick([0, 0, 1, 2]) : 0;
  return {
    startMs,
    focus,
    crowd: CROWDS[focus] ?? null,
    cronAfterMs: random.chance(0.15) ? 0 : random.between(5_000, 65_000),
    alarmLateMs: random.pick([0, 10_000, 40_000]),
    rate: random.pick(isCrash ? [0, 0.02, 0.1] : [0.05, 0.1, 0.25]),
    kills: Array.from({ length: kills }, () => ({
      afterCalls: random.integer(0, 12),
      hasEffect: random.chance(0.5),
      ofConsumers: random.chance(0.7),
    })),
    outages: Array.from({ length: outages }, () => {
      const fromMs = startMs + random.between(0, 40_000);
      return { fromMs, toMs: fromMs + random.pick([500, 2_000, 8_000, 40_000]) };
    }),
    isLimiterDown: random.chance(0.5),
    latencyMs: random.pick([0, 5, 50, 400]),
    queues: {
      loss: random.pick([0, 0, 0.1, 0.4]),
      duplicates: random.pick([0, 0.1, 0.4]),
      late: random.pick([0, 0.1, 0.5]),
      hasMetrics: random.chance(0.7),
    },
  };
}

/** What a schedule found. */
export interface Verdict {
  violations: string[];
  history: string[];
  requests: number;
}

/** Runs the schedule of a seed in `database`, which must be empty. Leaves nothing there. */
export async function runSchedule(
  database: D1Database,
  seed: number,
  theme: Theme,
  coverage: Coverage,
): Promise<Verdict> {
  const random = seeded(seed);
  const startMs = FIRST_START_MS + seed * START_EVERY_MS;
  const world = new World(database, random, planOf(theme, focusOf(seed), random, startMs), coverage);
  await world.open();
  try {
    return await new Schedule(world).run();
  } finally {
    world.close();
    await removeTenant(database, TENANT_ID);
  }
}

class Schedule {
  #subscribers: Subscriber[] = [];
  readonly #publications: Publication[] = [];
  #busy = 0;
  #published = 0;

  constructor(private readonly world: World) {}

  async run(): Promise<Verdict> {
    const { random, clock, faults, plan } = this.world;
    this.#subscribers = await clock.hold(() =>
      addSubscribers(this.world.database, random, TENANT_ID, clock.nowMs, plan.crowd),
    );
    this.#plan();
    const { rows, problems } = await this.#settle();
    problems.push(
      ...this.world.wrongs,
      ...violations(rows, this.#subscribers, this.#publications, this.world.sent, faults),
    );
    if (random.chance(0.1)) problems.push(...(await this.#forget()));
    return { violations: problems, history: faults.history, requests: this.world.sent.length };
  }

  /** What clients and operators do, and when. */
  #plan(): void {
    const { random } = this.world;
    const publishers = random.pick([1, 1, 2]);
    for (let publisher = 0; publisher < publishers; publisher += 1)
      this.#at(random.between(0, 6_000), () => this.#publish());
    if (random.chance(0.15)) this.#at(random.between(0, 5_000), () => this.#widen());
    if (random.chance(0.4)) this.#at(random.between(3_000, 25_000), () => this.#redeliver());
    if (random.chance(0.2)) this.#at(random.between(0, 20_000), () => this.#stop());
    if (random.chance(0.1)) this.#at(random.between(0, 20_000), () => this.#retain());
  }

  #at(afterMs: number, act: () => Promise<void>): void {
    this.#busy += 1;
    const done = () => {
      this.#busy -= 1;
    };
    this.world.clock.after(afterMs, () => void act().finally(done));
  }

  /** A client that publishes one to three events. With a key, it repeats each publish until it gets an answer. */
  async #publish(): Promise<void> {
    const { random, clock, plan } = this.world;
    const hasKeys = random.chance(0.5);
    const inputs = Array.from({ length: plan.crowd?.events ?? random.pick([1, 1, 2, 3]) }, (): EventInput => {
      this.#published += 1;
      const payload = `{"n":${this.#published}, "of":"${TENANT_ID}"}`;
      return { type: EVENT_TYPE, payload, correlationId: null, idempotencyKey: hasKeys ? payload : null };
    });
    const wanted = this.#subscribers.filter(({ isPaused, isDeleted }) => !isPaused && !isDeleted);
    const publications = inputs.map(({ payload }): Publication => ({ payload, acceptedId: null, subscribers: wanted }));
    this.#publications.push(...publications);
    for (let tries = 0; tries < (hasKeys ? 30 : 1); tries += 1) {
      const answer = await this.world
        .invoke("publish", (deps) => publishEvents(deps, TENANT, inputs, 0))
        .catch(() => null);
      for (const [position, publication] of publications.entries()) {
        publication.acceptedId = answer?.value[position]?.id ?? null;
      }
      if (answer) return;
      await clock.wait(random.between(500, 5_000));
    }
  }

  /** An event whose fan-out has completed its first page only. */
  async #widen(): Promise<void> {
    const { clock, queues, random } = this.world;
    const payload = `"wide, of ${TENANT_ID}"`;
    const event = await clock.hold(() => addFanOut(this.world.database, TENANT_ID, payload, clock.nowMs));
    if (!event) return;
    this.#publications.push({ payload, acceptedId: event.id, subscribers: this.#subscribers });
    if (random.chance(0.3)) return;
    const body = { shard: 0, fanOuts: [{ eventId: event.id, fanOutAfter: event.fanOutAfter }] };
    await queues.slow.sendBatch([{ body }]).catch(() => undefined);
  }

  async #redeliver(): Promise<void> {
    const { random, clock } = this.world;
    const subscriber = random.pick(this.#subscribers as [Subscriber, ...Subscriber[]]);
    const { id } = subscriber;
    const failed = await clock.hold(() =>
      this.world.database
        .prepare("SELECT coalesce(delivery_id, id) AS id FROM attempts WHERE subscription_id = ? AND status = 'failed'")
        .bind(id)
        .first<string>("id"),
    );
    const how = random.pick(["latest", "one", "all", "test"]);
    if (how === "all") subscriber.isReopened = true;
    for (let times = random.integer(1, 2); times > 0; times -= 1) {
      await this.world
        .invoke(how, async (deps) => {
          if (how === "latest") await retryLatest(deps, TENANT, id);
          else if (how === "one") await retryDelivery(deps, TENANT, id, failed ?? id);
          else if (how === "all") await retryFailed(deps, TENANT, id, { since: this.world.plan.startMs });
          else await sendTest(deps, TENANT, id);
        })
        .catch(() => undefined);
    }
  }

  /** Somebody pauses or deletes a subscription. */
  async #stop(): Promise<void> {
    const { random, clock } = this.world;
    const subscriber = random.pick(this.#subscribers as [Subscriber, ...Subscriber[]]);
    const isDeletion = random.chance(0.5);
    if (isDeletion) subscriber.isDeleted = true;
    else subscriber.isPaused = true;
    await this.world
      .invoke("change", async (deps) => {
        if (isDeletion) await deleteSubscription(deps, TENANT, subscriber.id, clock.nowMs);
        else await changeSubscription(deps, TENANT, subscriber.id, { enabled: false });
      })
      .catch((error: unknown) => {
        if (error instanceof AppError) throw error;
      });
  }

  async #retain(): Promise<void> {
    for (const work of RETENTION) {
      await this.world.invoke("retention", (deps) => maintain(deps, work)).catch(() => undefined);
    }
  }

  /** Lets the clock run until everybody is done and nothing is owed. */
  async #settle(): Promise<{ rows: Rows; problems: string[] }> {
    const { clock, plan } = this.world;
    let notBeforeMs = plan.startMs;
    for (;;) {
      const isDone = () => this.#busy === 0 && this.world.isIdle && clock.nowMs >= notBeforeMs;
      const problems = await clock.run(isDone, plan.startMs + DEADLINE_MS).then(
        () => [],
        ({ message }: Error) => {
          const seconds = (clock.nowMs - plan.startMs) / 1000;
          const unfinished = this.world.unfinished.join("; ");
          return [`not over after ${seconds} s: ${message}; ${this.#busy} busy; unfinished: ${unfinished}`];
        },
      );
      const rows = await readRows(this.world.database, TENANT_ID);
      if (problems.length > 0 || !isOwed(rows)) return { rows, problems };
      // The clock must advance, so that the sweep runs.
      notBeforeMs = clock.nowMs + 1;
    }
  }

  /** A month later retention removes everything, whatever fails meanwhile: a later run does what a failed one left. */
  async #forget(): Promise<string[]> {
    const { clock } = this.world;
    let left: unknown[] = [];
    for (let run = 0; run < 8; run += 1) {
      clock.jumpTo(clock.nowMs + (run === 0 ? 31 * 86_400_000 : 3_600_000));
      let isDone = false;
      void this.#retain().finally(() => {
        isDone = true;
      });
      await clock.run(() => isDone, clock.nowMs + DEADLINE_MS);
      const { events, attempts, retries } = await readRows(this.world.database, TENANT_ID);
      left = [...events, ...attempts, ...retries];
      if (left.length === 0) break;
    }
    return left.length === 0 ? [] : [`${left.length} old rows stay: ${JSON.stringify(left[0])}`];
  }
}
