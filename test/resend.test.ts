/** Sending again: one failed delivery, and all that failed since a moment. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, type Person, signUp } from "./support/client";
import { addDelivery, consumeBatch, deliveryRow, messageFor } from "./support/engine";
import { endedAttempts, newInbox, subscribe } from "./support/receiver";

const LONG_AGO = "2026-01-01T00:00:00Z";

const retry = (person: Person, id: string, deliveryId: string) =>
  call("POST", `/webhooks/${id}/deliveries/${deliveryId}/retry`, { token: person.token });
const retryFailed = (person: Person, id: string, body: Record<string, unknown> = { since: LONG_AGO }) =>
  call("POST", `/webhooks/${id}/retry-failed`, { token: person.token, body });
const queued = async (person: Person, id: string, body?: Record<string, unknown>) =>
  (await retryFailed(person, id, body)).body.message;

const pointAt = (id: string, url: string) =>
  env.DB.prepare("UPDATE subscriptions SET url = ? WHERE id = ?").bind(url, id).run();

/** Deliveries that have ended with a failed attempt, and their subscription. */
async function failed(count: number) {
  const person = await signUp();
  const id = await subscribe(person, newInbox("500").url);
  const deliveries = await Promise.all(Array.from({ length: count }, () => addDelivery(person, id)));
  await consumeBatch(deliveries.map(messageFor));
  await giveUp(id);
  return { person, id, deliveries };
}

async function giveUp(id: string): Promise<void> {
  await env.DB.prepare("UPDATE deliveries SET due_at = NULL, sweep_at = NULL WHERE subscription_id = ?").bind(id).run();
}

describe("one delivery", () => {
  test("is sent again as a new one, whatever else has happened since", async () => {
    const { person, id, deliveries } = await failed(2);
    const inbox = newInbox("200");
    await pointAt(id, inbox.url);
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    const answer = await retry(person, id, deliveries[0] ?? "");
    expect([answer.status, answer.body]).toEqual([200, { message: "Retry queued" }]);
    const [, again] = await inbox.arrived(2);
    expect(again?.headers["x-correlation-id"]).toBe("");
    expect(again?.headers["webhook-id"]).not.toBe(deliveries[0]);
    const [row] = await endedAttempts(person, id, 4);
    const event = await env.DB.prepare("SELECT event_id FROM deliveries WHERE id = ?")
      .bind(row.deliveryId)
      .first("event_id");
    expect(event).toBe(deliveries[0]);
  });

  test("while a manual retry is under way no second one is queued", async () => {
    const { person, id, deliveries } = await failed(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => retry(person, id, deliveries[0] ?? "")));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(5).fill(200));
    const count = await env.DB.prepare("SELECT count(*) AS n FROM deliveries WHERE subscription_id = ?")
      .bind(id)
      .first("n");
    expect(count).toBe(2);
  });

  test("that did not fail, or does not exist, is told apart", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const [good, fresh] = [await addDelivery(person, id), await addDelivery(person, id)];
    await consumeBatch([messageFor(good)]);
    const other = await subscribe(person, newInbox("200").url);
    for (const [webhookId, deliveryId, message] of [
      [id, good, "No failed deliveries to retry"],
      [id, fresh, "No failed deliveries to retry"],
      [id, "unknown", "Delivery not found"],
      [other, good, "Delivery not found"],
      ["unknown", good, "Webhook not found"],
    ] as const) {
      const { status, body } = await retry(person, webhookId, deliveryId);
      expect([status, body.code, body.message]).toEqual([404, "NOT_FOUND", message]);
    }
  });
});

describe("all that failed", () => {
  test("is sent again under the same webhook-id, once", async () => {
    const { person, id, deliveries } = await failed(3);
    const inbox = newInbox("200");
    await pointAt(id, inbox.url);
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    const answer = await retryFailed(person, id);
    expect([answer.status, answer.body]).toEqual([200, { message: "3 deliveries queued", nextCursor: null }]);
    const ids = (await inbox.arrived(4)).map(({ headers }) => headers["webhook-id"]);
    expect(ids.slice(1).sort()).toEqual(deliveries.toSorted());
    const rows = await endedAttempts(person, id, 7);
    expect(rows[0]).toMatchObject({ status: "success", attemptCount: 1 });
    expect(await queued(person, id)).toBe("0 deliveries queued");
  });

  test("leaves out what is older, under way, a test, or made good by a manual retry", async () => {
    const { person, id, deliveries } = await failed(5);
    const [old, open, isTest, resent, resentInVain] = deliveries;
    const set = (change: string, deliveryId: string | undefined) =>
      env.DB.prepare(`UPDATE deliveries SET ${change} WHERE id = ?`).bind(deliveryId).run();
    await set("created_at = created_at - 3600000", old);
    await set("due_at = 9e15", open);
    await set("kind = 'test'", isTest);
    await retry(person, id, resentInVain ?? "");
    await endedAttempts(person, id, 6);
    await giveUp(id);
    await set("due_at = 9e15", open);
    await pointAt(id, newInbox("200").url);
    await retry(person, id, resent ?? "");
    await endedAttempts(person, id, 7);
    const since = new Date(Date.now() - 600_000).toISOString();
    expect(await queued(person, id, { since })).toBe("1 delivery queued");
    expect((await deliveryRow(resentInVain ?? "")).attempts).toBeLessThanOrEqual(1);
    expect(await queued(person, id)).toBe("1 delivery queued");
  });

  test("is at most 500 a call, and the cursor leads to the rest", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 699)";
    const key = "printf('01a00000-0000-7000-8000-%012x', i)";
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, last_attempt_id, attempts, created_at)
         ${many} SELECT ?2 || i, ?1, ?2, 'none', 'event', ${key}, 3, 1.8e12 FROM n`,
      ).bind(person.tenantId, id),
      env.DB.prepare(
        `INSERT INTO attempts (id, subscription_id, tenant_id, delivery_id, event_id, event_type, status, attempt_count, attempted_at)
         ${many} SELECT ${key}, ?2, ?1, ?2 || i, 'none', 'OrderPaid', 'failed', 3, 1.8e12 FROM n`,
      ).bind(person.tenantId, id),
    ]);
    const first = await retryFailed(person, id);
    expect(first.body).toEqual({ message: "500 deliveries queued", nextCursor: expect.any(String) });
    const second = await retryFailed(person, id, { since: LONG_AGO, cursor: first.body.nextCursor });
    expect(second.body).toEqual({ message: "200 deliveries queued", nextCursor: null });
  });

  test("is refused while the subscription is paused, and nothing is queued", async () => {
    const { person, id, deliveries } = await failed(1);
    await call("POST", `/webhooks/${id}/pause`, { token: person.token });
    const { status, body } = await retryFailed(person, id);
    expect([status, body.code, body.message]).toEqual([409, "CONFLICT", "Resume the webhook first."]);
    expect((await deliveryRow(deliveries[0] ?? "")).due_at).toBeNull();
  });

  test.each([{}, { since: "yesterday" }, { since: 1 }, { since: LONG_AGO, cursor: "x" }])(
    "%j is refused",
    async (body) => {
      const person = await signUp();
      const id = await subscribe(person, newInbox("200").url);
      const answer = await retryFailed(person, id, body);
      expect([answer.status, answer.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    },
  );

  test("is only for who may update webhooks, and of the own tenant", async () => {
    const { person, id, deliveries } = await failed(1);
    const stranger = await signUp();
    expect((await retryFailed(stranger, id)).body.message).toBe("Webhook not found");
    const key = { name: "k", scopes: ["webhook.read"] };
    const made = await call("POST", "/api-keys", { token: person.token, body: key });
    expect((await retryFailed({ ...person, token: made.body.data.key }, id)).status).toBe(403);
    expect((await deliveryRow(deliveries[0] ?? "")).due_at).toBeNull();
  });
});
