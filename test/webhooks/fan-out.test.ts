/** An event for so many subscriptions that their deliveries are created in pages. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/platform/deps";
import { sweepFanOuts } from "../../src/webhooks/events/fan-out";
import { eventually, type Person, signUp, verify } from "../support/client";
import { consumeBatch } from "../support/engine";
import { publish } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

describe("a fan-out to thousands of subscriptions", () => {
  afterAll(() => deliveryDb.prepare("DROP TRIGGER put_off_wide").run());

  /** Adds many subscriptions. A trigger postpones their deliveries, because only the fan-out is tested. */
  async function subscribeMany(person: Person, count: number): Promise<void> {
    await verify(person.email);
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
    await deliveryDb.batch([
      deliveryDb.prepare(
        `CREATE TRIGGER IF NOT EXISTS put_off_wide AFTER INSERT ON outbox WHEN NEW.subscription_id LIKE '%-_____'
          AND NEW.due_at < 9e15
         BEGIN UPDATE outbox SET due_at = 9e15 WHERE queue = NEW.queue AND due_at = NEW.due_at AND id = NEW.id; END`,
      ),
      deliveryDb
        .prepare(
          `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
            created_at, updated_at)
         ${rows} SELECT ?1 || printf('-%05d', i), ?1, 'many', 'http://receiver.example/200/many', '["Wide"]', 'x', 'x',
           1, 0, 0 FROM n`,
        )
        .bind(person.tenantId),
      deliveryDb
        .prepare(
          `INSERT INTO subscription_events (tenant_id, event_type, subscription_id)
         ${rows} SELECT ?1, 'Wide', ?1 || printf('-%05d', i) FROM n`,
        )
        .bind(person.tenantId),
    ]);
  }
  const made = async (eventId: string) =>
    await deliveryDb
      .prepare("SELECT count(*) AS n, count(DISTINCT subscription_id) AS different FROM outbox WHERE event_id = ?")
      .bind(eventId)
      .first<{ n: number; different: number }>();
  const cursor = async (eventId: string) =>
    (
      await deliveryDb
        .prepare("SELECT fan_out_after AS after FROM events WHERE id = ?")
        .bind(eventId)
        .first<{ after: string | null }>()
    )?.after;

  test("is counted in full in the answer, continues through the queue, and creates no delivery twice", async () => {
    const person = await signUp();
    await subscribeMany(person, 10_000);
    const { id, deliveries } = await publish(person, 1, { type: "Wide" });
    expect(deliveries).toBe(10_000);
    const stale = { shard: SHARD, fanOut: id, afterSubscriptionId: `${person.tenantId}-00500` };
    await Promise.all([consumeBatch([stale]), consumeBatch([stale, stale])]);
    await eventually("fan-out done", async () => (await cursor(id)) === null, 25_000);
    expect(await made(id)).toEqual({ n: 10_000, different: 10_000 });
  });

  test("is continued by the sweep if its message was lost", async () => {
    const person = await signUp();
    await subscribeMany(person, 750);
    const id = crypto.randomUUID();
    await deliveryDb
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
          VALUES (?, ?, 'Wide', '1', 750, ?, 1)`,
      )
      .bind(id, person.tenantId, `${person.tenantId}-00100`)
      .run();
    const context = createExecutionContext();
    await sweepFanOuts(await createDeps(env, context), SHARD);
    await waitOnExecutionContext(context);
    await eventually("fan-out done", async () => (await cursor(id)) === null);
    expect(await made(id)).toEqual({ n: 650, different: 650 });
  });
});
