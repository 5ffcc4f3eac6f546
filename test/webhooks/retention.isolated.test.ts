/** Retention: what is removed and what stays. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { firstIdAt, newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { deleteOldAttempts, deleteOldEvents } from "../../src/webhooks/retention/store";
import { call, signUp } from "../support/client";
import { hourly, sweepNow } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { age, DAYS_40_AGO, metrics, rowsOf } from "../support/retention";
import { deliveryDb, SHARD } from "../support/shard";

describe("retention", () => {
  test("removes rows older than RETENTION_DAYS, keeps younger ones, and metrics count those that are left", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    for (let n = 1; n <= 3; n += 1) {
      await publish(person, n);
      await endedAttempts(person, id, n);
    }
    await age(person, 29);
    await hourly();
    expect(await rowsOf(person, id)).toEqual([3, 3]);
    await age(person, 32);
    await publish(person, "young");
    await endedAttempts(person, id, 4);
    expect(await metrics(person, id)).toEqual({ total: 4, success: 4, failed: 0, pending: 0 });
    await hourly();
    expect(await rowsOf(person, id)).toEqual([1, 1]);
    expect(await metrics(person, id)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("keeps an event until its deliveries have ended", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("500").url, { delivery: { retry: { schedule: [3_600] } } });
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await age(person, 40);
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 1]);
    await deliveryDb.prepare("DELETE FROM outbox WHERE tenant_id = ?").bind(person.tenantId).run();
    await hourly();
    expect(await rowsOf(person, id)).toEqual([0, 0]);
  });

  test("keeps the placeholder of an attempt in progress, whose delivery was due long ago", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const [placeholder, attempt] = [newIdAt(DAYS_40_AGO), newIdAt(Date.now())];
    const insert = deliveryDb.prepare(
      `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, next_id, attempt_count,
        attempted_at)
       VALUES (?1, ?2, 'e', 'T', 'event', ?3, ?4, 1, ?5)`,
    );
    await deliveryDb.batch([
      insert.bind(id, placeholder, "moved", attempt, DAYS_40_AGO),
      insert.bind(id, attempt, "pending", null, Date.now()),
    ]);
    await hourly();
    expect((await rowsOf(person, id))[0]).toBe(2);
    await deliveryDb.prepare("UPDATE attempts SET status = 'success' WHERE id = ?").bind(attempt).run();
    await hourly();
    expect((await rowsOf(person, id))[0]).toBe(1);
  });

  test("keeps the last number of an order key for 400 days after its last event", async () => {
    const person = await signUp();
    const next = async () => {
      const body = { type: "OrderPaid", payload: 1, orderKey: "order 7" };
      return (await call("POST", "/events", { token: person.token, body })).body.data.sequence;
    };
    const usedDaysAgo = (days: number) =>
      deliveryDb
        .prepare("UPDATE order_sequences SET used_at = ? WHERE tenant_id = ?")
        .bind(Date.now() - days * 86_400_000, person.tenantId)
        .run();
    expect(await next()).toBe(1);
    await usedDaysAgo(399);
    await hourly();
    expect(await next()).toBe(2);
    await usedDaysAgo(401);
    await hourly();
    expect(await next()).toBe(1);
  });

  test("removes nothing when nothing is old", async () => {
    const db = (await createDeps(env, createExecutionContext())).shards.db(SHARD);
    expect(await deleteOldAttempts(db, DAYS_40_AGO, "", 100)).toMatchObject({ count: 0 });
    expect(await deleteOldEvents(db, { ids: [], end: firstIdAt(0), isLast: true }, "", 100)).toEqual({
      count: 0,
      next: null,
    });
  });

  test("keeps the failure count of a subscription that had no attempts for longer than RETENTION_DAYS", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await deliveryDb
      .prepare(
        "INSERT INTO hourly_stats (subscription_id, hour, failed, failure_count) VALUES (?1, ?2, 3, 7), (?1, ?3, 1, 4)",
      )
      .bind(id, DAYS_40_AGO, DAYS_40_AGO - 3_600_000)
      .run();
    await hourly();
    const webhook = await call("GET", `/webhooks/${id}`, { token: person.token });
    expect(webhook.body.data.failureCount).toBe(7);
    expect(await metrics(person, id)).toMatchObject({ total: 0, failed: 0 });
  });

  test("removes a deleted subscription after its log; its secret is erased at once", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await call("DELETE", `/webhooks/${id}`, { token: person.token });
    const row = () =>
      deliveryDb.prepare("SELECT secret_sealed, secret_digest FROM subscriptions WHERE id = ?").bind(id).first();
    expect(await row()).toEqual({ secret_sealed: "", secret_digest: "" });
    await hourly();
    expect(await row()).not.toBeNull();
    await age(person, 40);
    await hourly();
    expect(await row()).toBeNull();
  });

  test("keeps a deleted subscription while its lane has a delivery, which the sweep ends", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await call("DELETE", `/webhooks/${id}`, { token: person.token });
    await age(person, 40);
    await deliveryDb
      .prepare(
        `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
          VALUES (?1, 9e15, 'late', ?2, ?1, 'e', 'event', 1)`,
      )
      .bind(id, person.tenantId)
      .run();
    const isKept = async () =>
      (await deliveryDb.prepare("SELECT 1 FROM subscriptions WHERE id = ?").bind(id).first()) !== null;
    await hourly();
    expect(await isKept()).toBe(true);
    await sweepNow();
    await hourly();
    expect(await isKept()).toBe(false);
  });
});
