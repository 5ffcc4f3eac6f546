/** The budgets of a tenant, over HTTP: an event is accepted whole or refused whole. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { RULES, type RuleName } from "../../src/base/limits/rules";
import { call, type Person, signUp, signUpVerified, verify } from "../support/client";
import { holding } from "../support/console";
import { callUnder } from "../support/overrides";
import { newInbox, subscribe } from "../support/receiver";

const PARALLEL = 50;
const event = (payload: unknown = 1) => ({ type: "OrderPaid", payload });
const publish = (person: Person, variables: Record<string, string>, payload: unknown = 1) =>
  callUnder(variables, { path: "/api/v1/events", token: person.token, body: event(payload) });
const limitOf = (name: RuleName, limit: number) => ({
  RATE_LIMITS: JSON.stringify({ [name]: { ...RULES[name], limit } }),
});

async function subscribed(count: number, person: Person): Promise<Person> {
  for (let made = 0; made < count; made += 1) await subscribe(person, newInbox("200").url);
  return person;
}

const accepted = (answers: { status: number }[]) => answers.filter(({ status }) => status === 202).length;

describe("of 50 parallel publishes", () => {
  test("those that the budget of deliveries allows are accepted, and no other later", async () => {
    const person = await subscribed(2, await signUpVerified());
    const budget = { TENANT_DELIVERIES_PER_MINUTE: "40" };
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => publish(person, budget)));
    expect(accepted(answers)).toBe(20);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.code).toBe("RATE_LIMITED");
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await publish(person, budget)).status).toBe(429);
  });

  test("those that the budget of payloads allows are accepted", async () => {
    const person = await signUpVerified();
    const budget = { TENANT_PAYLOAD_MIB_PER_MINUTE: "1" };
    const payload = "x".repeat(100 * 1024 - 2);
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => publish(person, budget, payload)));
    expect(accepted(answers)).toBe(10);
  });

  test("exactly the limit of the publish rule is accepted", async () => {
    const person = await signUpVerified();
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => publish(person, limitOf("publish", 30))));
    expect(accepted(answers)).toBe(30);
  });
});

test("a batch counts each event, and one that is refused counts none", async () => {
  const { token } = await signUpVerified();
  const limit = limitOf("publish", 5);
  const batch = (count: number) =>
    callUnder(limit, {
      path: "/api/v1/events/batch",
      token,
      body: { events: Array.from({ length: count }, () => event()) },
    });
  expect((await batch(3)).status).toBe(202);
  for (let again = 0; again < 3; again += 1) expect((await batch(3)).status).toBe(429);
  expect((await batch(2)).status).toBe(202);
  expect((await batch(1)).status).toBe(429);
});

test("the deliveries that a refused batch has reserved are given back", async () => {
  const person = await subscribed(2, await signUpVerified());
  const budget = { TENANT_DELIVERIES_PER_MINUTE: "40" };
  const batch = (events: object[]) =>
    callUnder(budget, { path: "/api/v1/events/batch", token: person.token, body: { events } });
  const keyed = { ...event(), idempotencyKey: "used" };
  expect((await batch([keyed])).status).toBe(202);
  await subscribe(person, newInbox("200").url);
  const others = Array.from({ length: 5 }, () => event());
  for (let again = 0; again < 12; again += 1) {
    expect((await batch([{ ...keyed, payload: 2 }, ...others])).body.code).toBe("CONFLICT");
  }
});

describe("a tenant without a verified owner", () => {
  test("has 100 deliveries in a day: events, tests and retries together", async () => {
    const person = await subscribed(5, await signUp());
    const [webhook] = (await call("GET", "/webhooks", { token: person.token })).body.data;
    for (let made = 0; made < 19; made += 1) expect((await publish(person, {})).status).toBe(202);
    const sendTest = () => call("POST", `/webhooks/${webhook._id}/test`, { token: person.token });
    for (let made = 0; made < 4; made += 1) expect((await sendTest()).status).toBe(200);
    const tooMany = await publish(person, {});
    expect([tooMany.status, tooMany.body.code, tooMany.body.message]).toEqual([
      403,
      "EMAIL_NOT_VERIFIED",
      "Verify your email to go on.",
    ]);
    expect((await sendTest()).status).toBe(200);
    expect((await sendTest()).status).toBe(403);
    expect((await call("POST", `/webhooks/${webhook._id}/retry`, { token: person.token })).status).toBe(403);
    const page = await (await holding(person)).post(`/webhooks/${webhook._id}/test`);
    expect([page.status, page.html.includes("Verify your email to go on.")]).toEqual([403, true]);
    await verify(person.email);
    expect((await sendTest()).status).toBe(200);
    expect((await publish(person, {})).status).toBe(202);
  });

  test("has 100 events in a day, also if nobody subscribes to them, and a refused batch uses up none", async () => {
    const person = await signUp();
    const batch = (count: number) =>
      call("POST", "/events/batch", {
        token: person.token,
        body: { events: Array.from({ length: count }, () => event()) },
      });
    expect((await batch(99)).status).toBe(202);
    const tooMany = await batch(2);
    expect([tooMany.status, tooMany.body.code]).toEqual([403, "EMAIL_NOT_VERIFIED"]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => publish(person, {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(403)]);
    await verify(person.email);
    expect((await publish(person, {})).status).toBe(202);
  });

  test("has 5 MiB of payloads in a day", async () => {
    const person = await signUp();
    const payload = "x".repeat(250 * 1024);
    const answers = await Promise.all(Array.from({ length: 25 }, () => publish(person, {}, payload)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    expect(answers.filter(({ status, body }) => status === 403 && body.code === "EMAIL_NOT_VERIFIED")).toHaveLength(5);
    expect((await publish(person, {})).status).toBe(202);
  });

  test("has them over RPC and HTTP together", async () => {
    const person = await subscribed(5, await signUp());
    const rpc = (count: number) => {
      const body = { tenantId: person.tenantId, batch: Array.from({ length: count }, () => event()) };
      return env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(body) });
    };
    expect((await rpc(19)).status).toBe(200);
    expect((await publish(person, {})).status).toBe(202);
    const tooMany = await rpc(1);
    expect([tooMany.status, await tooMany.json()]).toMatchObject([400, { message: "Verify your email to go on." }]);
    expect((await publish(person, {})).status).toBe(403);
  });
});
