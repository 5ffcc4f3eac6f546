/** How much of a delivery database a delivery takes once it has ended: D1 holds 10 GB. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { orderOf } from "../../.scripts/bench/sample-payload";
import { newId, newIdAt } from "../../src/base/db/ids";
import { toStored } from "../../src/base/db/stored-text";
import { createDeps } from "../../src/base/deps";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { recordAttempts } from "../../src/webhooks/delivery/record-store";
import { acceptEvents } from "../../src/webhooks/events/accept-store";
import { signUp } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const EVENTS_PER_BATCH = 100;
/** The most bytes that a delivery may take, by the size of its payload, over so many batches as fill many pages. */
const MAX_BYTES = [
  [300, 700, 12],
  [1_024, 1_300, 12],
  [4_096, 2_500, 12],
  [32_768, 9_300, 3],
] as const;

const sizeBytes = async () => (await deliveryDb.prepare("SELECT 1").run()).meta.size_after;

test.each(MAX_BYTES)(
  "a delivery of %i bytes to one subscription takes at most %i bytes",
  async (payloadBytes, maxBytes, batches) => {
    const person = await signUp();
    await subscribe(person, newInbox("200").url);
    const { shards } = await createDeps(env, createExecutionContext());
    const db = shards.db(SHARD);
    const before = await sizeBytes();
    for (let batch = 0; batch < batches; batch += 1) {
      const nowMs = Date.now();
      // Of different milliseconds: the random bits of one millisecond can make the same delivery id twice, for which
      // publishing makes new ids.
      const ids = Array.from({ length: EVENTS_PER_BATCH }, (_, position) => newIdAt(nowMs - position)).sort();
      const payloads = await Promise.all(ids.map(() => toStored(orderOf(payloadBytes))));
      const events = ids.map((id, position) => ({
        id,
        type: "OrderPaid",
        payload: payloads[position] ?? { short: "" },
        bytes: payloadBytes,
        correlationId: null,
        idempotencyKey: null,
        requestHash: null,
      }));
      const { due } = await acceptEvents(db, person, events, EVENTS_PER_BATCH, nowMs);
      const claim = newId();
      const { claimed } = await claimDeliveries(db, { speed: "fast", claim }, due, nowMs);
      const results = claimed.map((delivery) => ({
        queue: delivery.queue,
        dueAt: delivery.dueAt,
        id: delivery.id,
        subscriptionId: delivery.subscriptionId,
        bytes: delivery.bytes,
        attemptId: delivery.attemptId,
        kind: delivery.kind,
        status: "success" as const,
        responseCode: 200,
        responseBody: "ok",
        responseHeaders: null,
        error: null,
        startedAt: nowMs,
        completedAt: nowMs + 20,
        nextDueAt: null,
        nextAttemptId: null,
        isSlow: false,
        cooldownUntil: null,
        isGone: false,
        isFailedProbe: false,
        mayBeGone: false,
      }));
      expect((await recordAttempts(db, claim, results)).recorded.size).toBe(EVENTS_PER_BATCH);
    }
    const bytes = ((await sizeBytes()) - before) / (batches * EVENTS_PER_BATCH);
    expect(bytes).toBeGreaterThan(Math.min(payloadBytes, 400));
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  },
);
