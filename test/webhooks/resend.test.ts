/** Manual retries: one failed delivery, and all that failed since a given time. */
import { describe, expect, test, vi } from "vitest";
import type { Deps } from "../../src/base/deps";
import { retryDelivery, retryFailed, sendTest } from "../../src/webhooks/resend/retry";
import { call, type Person, signUp, verify } from "../support/client";
import { controlledDeps } from "../support/controlled";
import {
  addDelivery,
  consumeBatch,
  countManualRetries,
  eventOf,
  giveUp,
  type Key,
  messageFor,
  newDelivery,
  outboxRow,
} from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const LONG_AGO = "2026-01-01T00:00:00Z";
const HOUR_MS = 3_600_000;

const retry = (person: Person, id: string, delivery: Pick<Key, "id"> | undefined) =>
  call("POST", `/webhooks/${id}/deliveries/${delivery?.id}/retry`, { token: person.token });
const retryAll = (person: Person, id: string, body: Record<string, unknown> = { since: LONG_AGO }) =>
  call("POST", `/webhooks/${id}/retry-failed`, { token: person.token, body });
const queued = async (person: Person, id: string, body?: Record<string, unknown>) =>
  (await retryAll(person, id, body)).body.message;

const pointAt = (id: string, url: string) =>
  deliveryDb.prepare("UPDATE subscriptions SET url = ? WHERE id = ?").bind(url, id).run();

/**
 * Creates a subscription with failed deliveries that have ended. With `isFirstOld`, the first one was created an hour
 * ago.
 */
async function failed(count: number, { isFirstOld = false } = {}) {
  const person = await signUp();
  const id = await subscribe(person, newInbox("500").url);
  const deliveries: Key[] = [];
  for (let made = 0; made < count; made += 1) {
    if (isFirstOld && made === 0) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
    deliveries.push(await addDelivery(person, id));
    vi.useRealTimers();
  }
  await consumeBatch([messageFor(...deliveries)]);
  await giveUp(id);
  return { person, id, deliveries };
}

describe("one failed delivery", () => {
  test("is sent again as a new delivery, even after later successes", async () => {
    const { person, id, deliveries } = await failed(2);
    const inbox = newInbox("200");
    await pointAt(id, inbox.url);
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    const answer = await retry(person, id, deliveries[0]);
    expect([answer.status, answer.body]).toEqual([200, { message: "Retry queued" }]);
    const [, again] = await inbox.arrived(2);
    expect(again?.headers["x-correlation-id"]).toBe("");
    expect(again?.headers["webhook-id"]).not.toBe(deliveries[0]?.id);
    const [row] = await endedAttempts(person, id, 4);
    expect(row.deliveryId).toBe(again?.headers["webhook-id"]);
    const eventOfAttempt = async (attemptId: string | undefined) =>
      (await call("GET", `/webhooks/${id}/attempts/${attemptId}`, { token: person.token })).body.data.eventId;
    expect(await eventOfAttempt(row._id)).toBe(await eventOfAttempt(deliveries[0]?.id));
  });

  test("is sent again by its id after it was postponed 200 times", async () => {
    const { person, webhookId, key } = await newDelivery("500");
    const ids = [key.id, ...Array.from({ length: 200 }, (_, n) => `postponed-${String(n).padStart(4, "0")}`)];
    await deliveryDb.batch([
      ...ids.map((id, position) =>
        deliveryDb
          .prepare(
            `INSERT INTO attempts (subscription_id, id, delivery_id, event_id, event_type, kind, status, attempt_count,
              attempted_at, next_id)
             SELECT subscription_id, ?, id, event_id, 'OrderPaid', 'event', ?, 1, ?, ? FROM outbox WHERE id = ?`,
          )
          .bind(id, position === 200 ? "failed" : "moved", position, ids[position + 1] ?? null, key.id),
      ),
      deliveryDb.prepare("DELETE FROM outbox WHERE id = ?").bind(key.id),
    ]);
    const answer = await call("POST", `/webhooks/${webhookId}/deliveries/${key.id}/retry`, { token: person.token });
    expect(answer.status).toBe(200);
  });

  test("is not queued a second time while its manual retry is in progress", async () => {
    const { person, id, deliveries } = await failed(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => retry(person, id, deliveries[0])));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(5).fill(200));
    expect(await countManualRetries(id)).toBe(1);
  });

  test("is queued while the manual retry of another event is in progress, which is no retry of one that did not fail", async () => {
    const { person, id, deliveries } = await failed(2);
    await pointAt(id, newInbox("200").url);
    const good = await addDelivery(person, id);
    await consumeBatch([messageFor(good)]);
    await pointAt(id, newInbox("500").url);
    const answers = [];
    for (const delivery of [...deliveries, good]) answers.push(await retry(person, id, delivery));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(await countManualRetries(id)).toBe(2);
  });

  test("that did not fail gets another message than one that does not exist", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const [good, fresh] = [await addDelivery(person, id), await addDelivery(person, id)];
    await consumeBatch([messageFor(good)]);
    const other = await subscribe(person, newInbox("200").url);
    for (const [webhookId, delivery, message] of [
      [id, good, "No failed deliveries to retry"],
      [id, fresh, "No failed deliveries to retry"],
      [id, { id: "unknown" }, "Delivery not found"],
      [other, good, "Delivery not found"],
      ["unknown", good, "Webhook not found"],
    ] as const) {
      const { status, body } = await retry(person, webhookId, delivery);
      expect([status, body.code, body.message]).toEqual([404, "NOT_FOUND", message]);
    }
  });
});

describe("when the answer of D1 was lost", () => {
  const tenantOf = ({ tenantId }: Person) => ({ tenantId, shard: SHARD, hasVerifiedOwner: true });
  const waiting = (id: string) =>
    deliveryDb.prepare("SELECT count(*) AS n FROM outbox WHERE subscription_id = ?").bind(id).first<number>("n");

  /** D1 whose first `count` calls have their effect and then fail. */
  const losing = (count: number) => {
    let left = count;
    return controlledDeps(async (_, effect) => {
      const answer = await effect();
      left -= 1;
      if (left >= 0) throw new Error("D1_ERROR: Network connection lost.");
      return answer;
    });
  };

  test("a manual retry and a test are repeated, and each is queued once", async () => {
    const { person, id, deliveries } = await failed(1);
    for (const [position, queue] of [
      (deps: Deps) => retryDelivery(deps, tenantOf(person), id, deliveries[0]?.id ?? ""),
      (deps: Deps) => sendTest(deps, tenantOf(person), id),
    ].entries()) {
      const { deps, queued: messages, ended } = await losing(2);
      await queue(deps);
      await ended();
      expect([messages.length, await waiting(id)]).toEqual([1, position + 1]);
    }
  });

  test("a retry of all is not repeated, because it could not count what it has queued; the client's own second call queues nothing twice", async () => {
    const { person, id } = await failed(3);
    const { deps } = await losing(1);
    const call = () => retryFailed(deps, tenantOf(person), id, { since: 0 });
    await expect(call()).rejects.toThrow("Network connection lost");
    expect([await waiting(id), await call(), await waiting(id)]).toEqual([3, { queued: 0, nextCursor: null }, 3]);
  });
});

describe("all failed deliveries", () => {
  test("are sent again once, with the same webhook-id", async () => {
    const { person, id, deliveries } = await failed(3);
    const inbox = newInbox("200");
    await pointAt(id, inbox.url);
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    const answer = await retryAll(person, id);
    expect([answer.status, answer.body]).toEqual([200, { message: "3 deliveries queued", nextCursor: null }]);
    const ids = (await inbox.arrived(4)).map(({ headers }) => headers["webhook-id"]);
    expect(ids.slice(1).sort()).toEqual(deliveries.map((delivery) => delivery.id).sort());
    const rows = await endedAttempts(person, id, 7);
    expect(rows[0]).toMatchObject({ status: "success", attemptCount: 1 });
    expect(await queued(person, id)).toBe("0 deliveries queued");
  });

  test("do not include older ones, tests, those in progress, or those that a manual retry delivered", async () => {
    const { person, id, deliveries } = await failed(4, { isFirstOld: true });
    const [old, isTest, resent, resentInVain] = deliveries;
    await deliveryDb.prepare("UPDATE attempts SET kind = 'test' WHERE id = ?").bind(isTest?.id).run();
    await retry(person, id, resentInVain);
    await endedAttempts(person, id, 5);
    await giveUp(id);
    const underWay = await addDelivery(person, id);
    await consumeBatch([messageFor(underWay)]);
    await deliveryDb.prepare("UPDATE outbox SET due_at = 9e15 WHERE id = ?").bind(underWay.id).run();
    const inbox = newInbox("200");
    await pointAt(id, inbox.url);
    await retry(person, id, resent);
    await endedAttempts(person, id, 7);
    const since = new Date(Date.now() - 600_000).toISOString();
    expect(await queued(person, id, { since })).toBe("1 delivery queued");
    expect((await inbox.arrived(2))[1]?.headers["webhook-id"]).toBe(resentInVain?.id);
    expect(await queued(person, id)).toBe("1 delivery queued");
    expect((await inbox.arrived(3))[2]?.headers["webhook-id"]).toBe(old?.id);
  });

  test("are queued in portions of 500, with a cursor for the rest", async () => {
    const person = await signUp();
    await verify(person.email);
    const id = await subscribe(person, newInbox("200").url);
    const many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 699)";
    const key = "printf('01a00000-0000-7000-8000-%012x', i)";
    const eventId = await eventOf(await addDelivery(person, id));
    await deliveryDb
      .prepare(
        `INSERT INTO attempts (id, subscription_id, event_id, event_type, kind, status, attempt_count, attempted_at)
         ${many} SELECT ${key}, ?1, ?2, 'OrderPaid', 'event', 'failed', 3, 1.8e12 FROM n`,
      )
      .bind(id, eventId)
      .run();
    const first = await retryAll(person, id);
    expect(first.body).toEqual({ message: "500 deliveries queued", nextCursor: expect.any(String) });
    const second = await retryAll(person, id, { since: LONG_AGO, cursor: first.body.nextCursor });
    expect(second.body).toEqual({ message: "200 deliveries queued", nextCursor: null });
  });

  test("cannot be sent again while the subscription is paused", async () => {
    const { person, id, deliveries } = await failed(1);
    await call("POST", `/webhooks/${id}/pause`, { token: person.token });
    const { status, body } = await retryAll(person, id);
    expect([status, body.code, body.message]).toEqual([409, "CONFLICT", "Resume the webhook first."]);
    expect(deliveries[0] && (await outboxRow(deliveries[0]))).toBeNull();
  });

  test.each([{}, { since: "yesterday" }, { since: 1 }, { since: LONG_AGO, cursor: "x" }])(
    "%j is refused",
    async (body) => {
      const person = await signUp();
      const id = await subscribe(person, newInbox("200").url);
      const answer = await retryAll(person, id, body);
      expect([answer.status, answer.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    },
  );

  test("can be sent again only with the permission webhook.update, in the own tenant", async () => {
    const { person, id, deliveries } = await failed(1);
    const stranger = await signUp();
    expect((await retryAll(stranger, id)).body.message).toBe("Webhook not found");
    const key = { name: "k", scopes: ["webhook.read"] };
    const made = await call("POST", "/api-keys", { token: person.token, body: key });
    expect((await retryAll({ ...person, token: made.body.data.key }, id)).status).toBe(403);
    expect(deliveries[0] && (await outboxRow(deliveries[0]))).toBeNull();
  });
});
