/** How each kind of answer is recorded, and what a delivery contains, its signatures above all. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { call, signUp } from "../support/client";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

/** Publishes to a subscriber with a behaviour, and returns the log row of the first attempt. */
async function firstAttempt(behaviour: string, withinMs?: number) {
  const person = await signUp();
  const inbox = newInbox(behaviour);
  const id = await subscribe(person, inbox.url);
  await publish(person, { n: 1 });
  const rows = await endedAttempts(person, id, 1, withinMs);
  return { row: rows.at(-1), inbox };
}

describe("answers", () => {
  test.each([
    ["200", "success", "answer 200"],
    ["204", "success", ""],
    ["299", "success", "answer 299"],
    ["400", "failed", "answer 400"],
    ["410", "failed", "answer 410"],
    ["429", "failed", "answer 429"],
    ["500", "failed", "answer 500"],
  ])("%s: the attempt is recorded as %s, with the status code and body", async (behaviour, status, responseBody) => {
    const { row } = await firstAttempt(behaviour);
    expect(row).toMatchObject({ status, responseCode: Number(behaviour), responseBody, attemptCount: 1 });
    expect(row.error).toBe(status === "success" ? undefined : `status ${behaviour}`);
    expect(Date.parse(row.completedAt)).toBeGreaterThanOrEqual(Date.parse(row.attemptedAt));
  });

  test("that redirect are failures and are not followed", async () => {
    const { row, inbox } = await firstAttempt("redirect");
    expect(row).toMatchObject({ status: "failed", responseCode: 302 });
    const name = inbox.url.split("/").at(-1);
    const followed = await env.RECEIVER.fetch(`http://inbox/${name}-redirected`);
    expect(await followed.json()).toEqual([]);
  });

  test.each([
    ["503", 1_024],
    ["200", 256],
  ])("%s: at most %i characters of its headers are in the log, and no credential", async (status, maxCharacters) => {
    const person = await signUp();
    const headers = { Authorization: "Bearer abcdefghijkl" };
    const id = await subscribe(person, newInbox(`headers-${status}`).url, { delivery: { headers } });
    await publish(person, 1);
    const [{ responseHeaders }] = await endedAttempts(person, id, 1);
    expect(responseHeaders).toMatchObject({
      "x-request-id": "req_1",
      location: "https://login.example/start?…",
      "www-authenticate": 'Bearer error="invalid_token"',
      "x-seen": "[header value]",
    });
    const text = Object.entries(responseHeaders as Record<string, string>).map(([name, value]) => `${name}: ${value}`);
    expect(text.join("\n").length).toBeLessThanOrEqual(maxCharacters);
    expect(text.join("\n").length).toBeGreaterThan(maxCharacters - 120);
    expect(text.join("\n")).not.toMatch(/set-cookie|auth-token|cross-origin|abcdefghijkl|code=/);
  });

  test("with a big body are stored up to 16 KiB", async () => {
    const { row } = await firstAttempt("big");
    expect([row.status, row.responseBody]).toEqual(["success", "x".repeat(16 * 1024)]);
  });

  test("that are not UTF-8 are stored with replacement characters", async () => {
    const { row } = await firstAttempt("binary");
    expect([row.status, row.responseBody]).toEqual(["success", "ok\uFFFD\uFFFD\u0000!"]);
  });

  test("that are slow count", async () => {
    const { row } = await firstAttempt("slow-1500");
    expect([row.status, row.responseBody]).toEqual(["success", "slow"]);
  });

  test("without headers in 10 s are a timeout; a body that does not end is stored as far as it came", async () => {
    const ends = ["hang", "bodyhang", "bodyhang-503"].map((behaviour) => firstAttempt(behaviour, 20_000));
    const [silent, unfinished, refused] = await Promise.all(ends);
    expect(silent?.row).toMatchObject({ status: "failed", error: "timeout" });
    expect(silent?.row).not.toHaveProperty("responseCode");
    expect(unfinished?.row).toMatchObject({ status: "success", responseCode: 200, responseBody: "first part" });
    expect(refused?.row).toMatchObject({ status: "failed", responseCode: 503, responseBody: "first part" });
  });
});

describe("a delivery", () => {
  test("is a POST of the payload alone, with the specified headers", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    await publish(person, [1, "two"], { correlationId: "trace 1" });
    const [delivery] = await inbox.arrived(1);
    expect([delivery?.method, delivery?.body]).toEqual(["POST", '[1,"two"]']);
    expect(delivery?.headers).toMatchObject({
      "content-type": "application/json",
      "x-webhook-event": "OrderPaid",
      "x-webhook-signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      "x-correlation-id": "trace 1",
      "user-agent": expect.stringContaining("Postern"),
      "accept-encoding": "identity",
    });
  });

  test("arrives complete when its payload is larger than a queue message", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const payload = { text: "ü".repeat(100_000) };
    await publish(person, payload);
    const [delivery] = await inbox.arrived(1);
    expect(delivery?.body).toBe(JSON.stringify(payload));
  });

  test("has no X-Correlation-Id header without a correlation id", async () => {
    const { inbox } = await firstAttempt("200");
    expect((await inbox.received())[0]?.headers).not.toHaveProperty("x-correlation-id");
  });

  test.each([
    ["a plain secret", "a-plain-secret", btoa("a-plain-secret")],
    ["a whsec_ secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  ])(
    "with %s is verified by the official standardwebhooks package, which refuses a changed body",
    async (_, secret, key) => {
      const person = await signUp();
      const inbox = newInbox("200");
      await subscribe(person, inbox.url, { secret });
      await publish(person, { text: "naïve ✓" });
      const [delivery] = await inbox.arrived(1);
      const { body = "", headers = {} } = delivery ?? {};
      expect(new Webhook(key).verify(body, headers)).toEqual({ text: "naïve ✓" });
      expect(() => new Webhook(key).verify(`${body} `, headers)).toThrow();
    },
  );

  test("is signed with the new secret after a change", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, { secret: "old" });
    await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { secret: "new" } });
    await publish(person, 1);
    const [delivery] = await inbox.arrived(1);
    const { body = "", headers = {} } = delivery ?? {};
    expect(new Webhook(btoa("new")).verify(body, headers)).toBe(1);
  });
});
