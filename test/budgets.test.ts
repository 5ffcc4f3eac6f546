/** D1 round trips per operation, read off the request's own log line (architecture.md, principle 9). */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, newEmail, PASSWORD, signUp } from "./support/client";
import { mailTo, tokenIn } from "./support/mailbox";
import { newInbox, subscribe } from "./support/receiver";

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
  const { status } = await call(method, path, {
    ...options,
    headers: { ...options.headers, "x-request-id": requestId },
  });
  const line = lines
    .map((text) => JSON.parse(text))
    .find((entry) => entry.requestId === requestId && entry.message === "request");
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

test.each([1, 200])("publishing to %i subscriptions costs 1 round trip after the check", async (count) => {
  const person = await signUp();
  const inbox = newInbox("200");
  for (let made = 0; made < count; made += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - made) }, () => subscribe(person, inbox.url)));
  }
  const body = { type: "OrderPaid", payload: {} };
  expect(await tripsOf("POST", "/events", { token: person.token, body })).toEqual({ status: 202, trips: 2 });
});
