/** `delivery` on a subscription: merged by member, shown only when set, refused when it can't be kept. */
import { expect, test } from "vitest";
import { type Answer, call, type Person, signUp } from "../support/client";
import { callUnder } from "../support/overrides";
import { subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const URL = "http://receiver.example/200/options";
const change = (person: Person, id: string, delivery: unknown): Promise<Answer> =>
  call("PATCH", `/webhooks/${id}`, { token: person.token, body: { delivery } });
const storedOptions = (id: string) =>
  deliveryDb.prepare("SELECT options FROM subscriptions WHERE id = ?").bind(id).first("options");

test("a subscription without options shows and stores none", async () => {
  const person = await signUp();
  const id = await subscribe(person, URL);
  const got = await call("GET", `/webhooks/${id}`, { token: person.token });
  expect(got.body.data).not.toHaveProperty("delivery");
  expect(await storedOptions(id)).toBeNull();
});

test("options given on creation are shown in every answer", async () => {
  const person = await signUp();
  const body = {
    name: "options",
    url: URL,
    events: ["*"],
    secret: "s",
    delivery: { retry: { schedule: [1, 60, 86_400] } },
  };
  const created = await call("POST", "/webhooks", { token: person.token, body });
  expect(created.status).toBe(201);
  expect(created.body.data.delivery).toEqual(body.delivery);
  const listed = await call("GET", "/webhooks", { token: person.token });
  expect(listed.body.data).toEqual([created.body.data]);
});

test.each([null, { retry: null }, { retry: { schedule: null } }])("%j sets the defaults back", async (delivery) => {
  const person = await signUp();
  const id = await subscribe(person, URL, { delivery: { retry: { schedule: [7] } } });
  const reset = await change(person, id, delivery);
  expect(reset.body.data).toMatchObject({ version: 1 });
  expect(reset.body.data).not.toHaveProperty("delivery");
  expect(await storedOptions(id)).toBeNull();
});

test("a change that leaves the options as they are raises no version", async () => {
  const person = await signUp();
  const id = await subscribe(person, URL, { delivery: { retry: { schedule: [7] } } });
  for (const delivery of [{}, { retry: {} }, { retry: { schedule: [7] } }]) {
    const answer = await change(person, id, delivery);
    expect(answer.body.data).toMatchObject({ version: 0, delivery: { retry: { schedule: [7] } } });
  }
});

test.each([
  [{ speed: "fast" }, "delivery"],
  [{ retry: { attempts: 3 } }, "delivery.retry"],
  [{ retry: { schedule: "slow" } }, "delivery.retry.schedule"],
  [{ retry: { schedule: [0] } }, "delivery.retry.schedule.0"],
  [{ retry: { schedule: [1.5] } }, "delivery.retry.schedule"],
  [{ retry: { schedule: [86_401] } }, "delivery.retry.schedule.0"],
  [{ retry: { schedule: Array(21).fill(1) } }, "delivery.retry.schedule"],
  [{ retry: { schedule: Array(8).fill(86_400) } }, "delivery.retry.schedule"],
  ["fast", "delivery"],
  [{ onPause: "drop" }, "delivery.onPause"],
  [{ onPause: true }, "delivery.onPause"],
  [{ onDisable: "drop" }, "delivery.onDisable"],
])("%j is refused at %s", async (delivery, path) => {
  const person = await signUp();
  const answer = await change(person, await subscribe(person, URL), delivery);
  expect([answer.status, answer.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test.each([
  [[], []],
  [Array(20).fill(1), Array(20).fill(1)],
  [Array(7).fill(86_400), Array(7).fill(86_400)],
  ["standard", [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]],
])("the schedule %j is kept as %j", async (schedule, shown) => {
  const person = await signUp();
  const answer = await change(person, await subscribe(person, URL), { retry: { schedule } });
  expect(answer.body.data.delivery).toEqual({ retry: { schedule: shown } });
});

test.each([
  ["standard", 4, '"standard" needs RETENTION_DAYS of at least 5, and it is 4'],
  [[86_400, 86_400], 2, "Must add up to at most 86400 seconds, because deliveries are kept for 2 days"],
])("the schedule %j is refused where deliveries are kept for %i days", async (schedule, days, message) => {
  const person = await signUp();
  const id = await subscribe(person, URL);
  const change = { path: `/api/v1/webhooks/${id}`, method: "PATCH", token: person.token };
  const body = { delivery: { retry: { schedule } } };
  const refused = await callUnder({ RETENTION_DAYS: String(days) }, { ...change, body });
  expect(refused.status).toBe(400);
  expect(refused.body.details).toEqual([{ path: "delivery.retry.schedule", message }]);
  const accepted = await callUnder({ RETENTION_DAYS: String(days + 1) }, { ...change, body });
  expect(accepted.status).toBe(200);
});

test("members are changed one by one", async () => {
  const person = await signUp();
  const id = await subscribe(person, URL, { delivery: { retry: { schedule: [7], onGone: "retry" } } });
  const changed = await change(person, id, { retry: { onGone: null, abortHeader: true } });
  expect(changed.body.data.delivery).toEqual({ retry: { schedule: [7], abortHeader: true } });
});

test.each([
  [{ rateLimit: { limit: 0, per: "second" } }, "delivery.rateLimit.limit"],
  [{ rateLimit: { limit: 10_001, per: "second" } }, "delivery.rateLimit.limit"],
  [{ rateLimit: { limit: 1.5, per: "second" } }, "delivery.rateLimit.limit"],
  [{ rateLimit: { limit: "10", per: "second" } }, "delivery.rateLimit.limit"],
  [{ rateLimit: { per: "second" } }, "delivery.rateLimit.limit"],
  [{ rateLimit: { limit: 10, per: "day" } }, "delivery.rateLimit.per"],
  [{ rateLimit: { limit: 10 } }, "delivery.rateLimit.per"],
  [{ rateLimit: { limit: 10, per: "second", burst: 5 } }, "delivery.rateLimit"],
  [{ rateLimit: 10 }, "delivery.rateLimit"],
  [{ maxConcurrent: 0 }, "delivery.maxConcurrent"],
  [{ maxConcurrent: 101 }, "delivery.maxConcurrent"],
  [{ maxConcurrent: 1.5 }, "delivery.maxConcurrent"],
  [{ maxConcurrent: "5" }, "delivery.maxConcurrent"],
])("the limit %j is refused at %s, and the one before stays", async (delivery, path) => {
  const person = await signUp();
  const limits = { rateLimit: { limit: 10_000, per: "hour" }, maxConcurrent: 100 };
  const id = await subscribe(person, URL, { delivery: limits });
  const refused = await change(person, id, delivery);
  expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  expect(refused.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  const kept = await call("GET", `/webhooks/${id}`, { token: person.token });
  expect(kept.body.data).toMatchObject({ version: 0, delivery: limits });
});

test("null removes one limit and leaves the other", async () => {
  const person = await signUp();
  const rateLimit = { limit: 1, per: "minute" };
  const id = await subscribe(person, URL, { delivery: { rateLimit, maxConcurrent: 1 } });
  const first = await change(person, id, { maxConcurrent: null });
  expect(first.body.data.delivery).toEqual({ rateLimit });
  const second = await change(person, id, { rateLimit: null });
  expect(second.body.data).not.toHaveProperty("delivery");
  expect(await storedOptions(id)).toBeNull();
});

test.each([
  [{ respectRetryAfter: "yes" }, "delivery.retry.respectRetryAfter"],
  [{ onGone: "ignore" }, "delivery.retry.onGone"],
  [{ abortHeader: 1 }, "delivery.retry.abortHeader"],
])("%j is refused", async (retry, path) => {
  const person = await signUp();
  const answer = await change(person, await subscribe(person, URL), { retry });
  expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
});
