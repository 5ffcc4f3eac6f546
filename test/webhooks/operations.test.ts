/** Pause, resume, metrics, retry and test of a subscription. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { sendTest } from "../../src/webhooks/resend/retry";
import { call, eventually, type Person, signUp, verify } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { countManualRetries, giveUp } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { SHARD } from "../support/shard";

afterEach(() => void vi.useRealTimers());

const operate = (person: Person, id: string, action: string) =>
  call("POST", `/webhooks/${id}/${action}`, { token: person.token });
const metrics = async (person: Person, id: string) =>
  (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data;

describe("pause and resume", () => {
  test("fan-out skips a paused subscription; doing it twice changes nothing more", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const state = async () => {
      const { enabled, version } = (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
      return [enabled, version];
    };
    for (let time = 0; time < 2; time += 1) {
      const paused = await operate(person, id, "pause");
      expect([paused.status, paused.body]).toEqual([200, { message: "Webhook paused" }]);
      expect(await state()).toEqual([false, 1]);
    }
    expect((await publish(person, 1)).deliveries).toBe(0);
    for (let time = 0; time < 2; time += 1) {
      const resumed = await operate(person, id, "resume");
      expect([resumed.status, resumed.body]).toEqual([200, { message: "Webhook resumed" }]);
      expect(await state()).toEqual([true, 2]);
    }
    expect((await publish(person, 1)).deliveries).toBe(1);
  });
});

test("a tenant without a verified owner that has used up its deliveries of the day is told to verify, and goes on then", async () => {
  const person = await signUp();
  const id = await subscribe(person, newInbox("200").url);
  for (let made = 1; made < 5; made += 1) await subscribe(person, newInbox("200").url);
  for (let made = 0; made < 20; made += 1) expect((await publish(person, made)).deliveries).toBe(5);
  const since = { since: "2026-01-01T00:00:00Z" };
  const attempts = [
    () => call("POST", "/events", { token: person.token, body: { type: "OrderPaid", payload: 1 } }),
    () => call("POST", `/webhooks/${id}/test`, { token: person.token }),
    () => call("POST", `/webhooks/${id}/retry-failed`, { token: person.token, body: since }),
  ];
  for (const attempt of attempts) {
    const { status, body } = await attempt();
    expect([status, body.code]).toEqual([403, "EMAIL_NOT_VERIFIED"]);
  }
  await verify(person.email);
  for (const attempt of attempts) expect((await attempt()).status).toBeLessThan(300);
});

describe("test", () => {
  test("sends a signed synthetic event even while paused and whatever types are listed", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, { enabled: false, events: ["Else"] });
    const answer = await operate(person, id, "test");
    expect([answer.status, answer.body]).toEqual([200, { message: "Test delivery queued" }]);
    const [delivery] = await inbox.arrived(1);
    expect(JSON.parse(delivery?.body ?? "")).toEqual({ test: true, webhookId: id });
    expect(delivery?.headers["x-webhook-event"]).toBe("WebhookTested");
    const [row] = await endedAttempts(person, id, 1);
    expect(row).toMatchObject({
      eventType: "WebhookTested",
      payload: { test: true, webhookId: id },
      status: "success",
    });
    expect(await metrics(person, id)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
    const subscription = (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
    expect(subscription.lastTriggeredAt).toBe(row.attemptedAt);
  });

  test("sends each of two that were asked for in the same millisecond", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const { deps, queued, ended } = await controlledDeps();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const tenant = { tenantId: person.tenantId, shard: SHARD, hasVerifiedOwner: true };
    for (let made = 0; made < 2; made += 1) await sendTest(deps, tenant, id);
    await ended();
    expect(new Set(queued).size).toBe(2);
  });
});

describe("retry", () => {
  test("nothing sent, or the latest attempt a success: 404", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    const none = await operate(person, id, "retry");
    expect([none.status, none.body.code, none.body.message]).toEqual([
      404,
      "NOT_FOUND",
      "No failed deliveries to retry",
    ]);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    expect((await operate(person, id, "retry")).status).toBe(404);
  });

  test("sends the latest failed payload again under a new id, with an empty correlation id", async () => {
    const person = await signUp();
    const inbox = newInbox("fail-1");
    const id = await subscribe(person, inbox.url);
    await publish(person, { order: 7 }, { correlationId: "trace-1" });
    await endedAttempts(person, id, 1);
    await giveUp(id);
    expect(await metrics(person, id)).toEqual({ total: 1, success: 0, failed: 1, pending: 0 });
    const answer = await operate(person, id, "retry");
    expect([answer.status, answer.body]).toEqual([200, { message: "Retry queued" }]);
    const [first, second] = await inbox.arrived(2);
    expect(second?.body).toBe(first?.body);
    expect(first?.headers["x-correlation-id"]).toBe("trace-1");
    expect(second?.headers["x-correlation-id"]).toBe("");
    expect(second?.headers["webhook-id"]).not.toBe(first?.headers["webhook-id"]);
    const rows = await endedAttempts(person, id, 2);
    expect(rows[0]).toMatchObject({ status: "success", attemptCount: 1, payload: { order: 7 } });
    expect((await operate(person, id, "retry")).status).toBe(404);
  });

  test("of many at once one is queued, and while it is under way no other", async () => {
    const person = await signUp();
    const inbox = newInbox("500");
    // So long that there is no third attempt while the test looks.
    const id = await subscribe(person, inbox.url, { delivery: { retry: { schedule: [600] } } });
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await giveUp(id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => operate(person, id, "retry")));
    expect(answers.map((answer) => answer.status)).toEqual(Array<number>(10).fill(200));
    await endedAttempts(person, id, 2);
    // Between its attempts the latest row is a failed one, and the retry still under way.
    expect((await operate(person, id, "retry")).status).toBe(200);
    expect(await countManualRetries(id)).toBe(1);
    const failures = await eventually("failure count", async () => {
      const { body } = await call("GET", `/webhooks/${id}`, { token: person.token });
      return body.data.failureCount >= 2 && body.data.failureCount;
    });
    expect(failures).toBe(2);
  });
});
