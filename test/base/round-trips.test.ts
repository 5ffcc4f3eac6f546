/** The cost of operations in D1: the round trips, as the log line of the request reports them, and the rows written. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { call, logIn, newEmail, PASSWORD, type Person, signUp, verify } from "../support/client";
import { costOf, readSigners } from "../support/cost";
import { mailTo, tokenIn } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";

const lines: string[] = [];
let spy: ReturnType<typeof vi.spyOn>;
beforeAll(() => {
  spy = vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
});
afterAll(() => spy.mockRestore());

async function tripsOf(
  ...[method, path, options = {}]: Parameters<typeof call>
): Promise<{ status: number; trips: number }> {
  const requestId = crypto.randomUUID();
  await readSigners();
  const { status } = await call(method, path, {
    ...options,
    headers: { ...options.headers, "x-request-id": requestId },
  });
  const line = lines
    .map((text) => JSON.parse(text))
    .find((entry) => entry.clientRequestId === requestId && entry.message === "request");
  return { status, trips: line.d1Trips };
}

test("register costs at most 2 round trips", async () => {
  const { status, trips } = await tripsOf("POST", "/auth/register", {
    body: { email: newEmail(), password: PASSWORD },
  });
  expect(status).toBe(201);
  expect(trips).toBeLessThanOrEqual(2);
});

test("login costs 2 round trips, and as many for a wrong password as for an unknown email", async () => {
  const { email } = await signUp();
  await call("POST", "/auth/verify-email", { body: { token: tokenIn(await mailTo(email, /verify/i)) } });
  expect(await tripsOf("POST", "/auth/login", { body: { email, password: PASSWORD } })).toEqual({
    status: 200,
    trips: 2,
  });
  const wrong = await tripsOf("POST", "/auth/login", { body: { email, password: "not the password" } });
  const unknown = await tripsOf("POST", "/auth/login", { body: { email: newEmail(), password: "not the password" } });
  expect(wrong).toEqual({ status: 401, trips: 1 });
  expect(unknown).toEqual(wrong);
});

test("a JWT check costs 1 round trip and a webhook read 1 more", async () => {
  const { token } = await signUp();
  expect(await tripsOf("GET", "/webhooks/none", { token })).toEqual({ status: 404, trips: 2 });
  expect(await tripsOf("GET", "/webhooks", { token })).toEqual({ status: 200, trips: 2 });
});

describe("publishing", () => {
  async function publisherTo(count: number): Promise<Person> {
    const person = await signUp();
    await verify(person.email);
    const inbox = newInbox("200");
    for (let made = 0; made < count; made += 50) {
      await Promise.all(Array.from({ length: Math.min(50, count - made) }, () => subscribe(person, inbox.url)));
    }
    return person;
  }
  const tripsOfPublish = ({ token }: Person) =>
    tripsOf("POST", "/events", { token, body: { type: "OrderPaid", payload: {} } });

  test.each([1, 50])("to %i subscriptions costs 1 round trip after the check", async (count) => {
    expect(await tripsOfPublish(await publisherTo(count))).toEqual({ status: 202, trips: 2 });
  });

  test("to 200 subscriptions costs as much, except for the first event of a type in an isolate", async () => {
    const person = await publisherTo(200);
    expect(await tripsOfPublish(person)).toEqual({ status: 202, trips: 4 });
    expect(await tripsOfPublish(person)).toEqual({ status: 202, trips: 2 });
  });
});

/**
 * Rows as D1 bills them: indexes included. An event of the audit log is 2 of them, and 3 if it can become one of the
 * platform.
 */
describe("what an operation costs", () => {
  const credentials = ({ email }: Person, password = PASSWORD) => ({ body: { email, password } });

  test("register", async () => {
    const cost = await costOf("POST", "/auth/register", { body: { email: newEmail(), password: PASSWORD } });
    expect(cost).toEqual({ status: 201, trips: 1, rowsWritten: 24 });
  });

  test("login: the first from a device also stores the device and the link of its notice", async () => {
    const person = await logIn(await signUp());
    const costs = [
      await costOf("POST", "/auth/login", credentials(person)),
      await costOf("POST", "/auth/login", credentials(person)),
    ];
    expect(costs).toEqual([
      { status: 200, trips: 2, rowsWritten: 12 },
      { status: 200, trips: 2, rowsWritten: 6 },
    ]);
  });

  test("a wrong password: 1 trip, and behind the answer another one that records it", async () => {
    const cost = await costOf("POST", "/auth/login", credentials(await signUp(), "not the password"));
    expect(cost).toEqual({ status: 401, trips: 2, rowsWritten: 2 });
  });

  test("refresh", async () => {
    const { refreshToken } = await signUp();
    const cost = await costOf("POST", "/auth/refresh", { body: { refreshToken } });
    expect(cost).toEqual({ status: 200, trips: 1, rowsWritten: 2 });
  });

  test("a request with a JWT: 1 trip for the check, which tells who it is, and 1 for what else it asks", async () => {
    const { token } = await signUp();
    expect(await costOf("GET", "/auth/me", { token })).toEqual({ status: 200, trips: 1, rowsWritten: 0 });
    expect(await costOf("GET", "/auth/sessions", { token })).toEqual({ status: 200, trips: 2, rowsWritten: 0 });
  });

  test("a request with an API key: the same, and behind the answer now and then a note that it was used", async () => {
    const { token } = await signUp();
    const made = await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
    const { key } = made.body.data;
    expect(await costOf("GET", "/webhooks", { token: key })).toEqual({ status: 200, trips: 3, rowsWritten: 1 });
    expect(await costOf("GET", "/webhooks", { token: key })).toEqual({ status: 200, trips: 2, rowsWritten: 0 });
  });

  test("logout", async () => {
    const { refreshToken } = await signUp();
    const cost = await costOf("POST", "/auth/logout", { body: { refreshToken } });
    expect(cost).toEqual({ status: 200, trips: 1, rowsWritten: 5 });
  });

  test.each([
    ["of a verified account", true, { trips: 2, rowsWritten: 11 }],
    ["of an unproven account, which is taken over", false, { trips: 3, rowsWritten: 21 }],
  ])(
    "a password reset %s: nothing when it is asked for, one transaction when it is done",
    async (_what, isVerified, cost) => {
      const person = await signUp();
      if (isVerified) await verify(person.email);
      const asked = await costOf("POST", "/auth/forgot-password", { body: { email: person.email } });
      expect(asked).toEqual({ status: 200, trips: 0, rowsWritten: 0 });
      const token = tokenIn(await mailTo(person.email, /reset/i));
      const body = { token, newPassword: "another pass phrase" };
      expect(await costOf("POST", "/auth/reset-password", { body })).toEqual({ status: 200, ...cost });
    },
  );
});
