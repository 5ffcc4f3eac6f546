/** A zoo of subscribers: each answer gives the right row. And what a delivery carries, its signatures above all. */
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { call, signUp } from "./support/client";
import { endedAttempts, newInbox, publish, subscribe } from "./support/receiver";

/** The row of the first attempt at a subscriber with a behaviour. */
async function firstAttempt(behaviour: string, withinMs?: number) {
  const person = await signUp();
  const inbox = newInbox(behaviour);
  const id = await subscribe(person, inbox.url);
  await publish(person, { n: 1 });
  const rows = await endedAttempts(person, id, 1, withinMs);
  return { row: rows.at(-1), inbox };
}

describe("the zoo", () => {
  test.each([
    ["200", "success", "answer 200"],
    ["204", "success", ""],
    ["299", "success", "answer 299"],
    ["400", "failed", "answer 400"],
    ["410", "failed", "answer 410"],
    ["429", "failed", "answer 429"],
    ["500", "failed", "answer 500"],
  ])("an answer %s is a %s, with its code and body", async (behaviour, status, responseBody) => {
    const { row } = await firstAttempt(behaviour);
    expect(row).toMatchObject({ status, responseCode: Number(behaviour), responseBody, attemptCount: 1 });
    expect(row.error).toBe(status === "success" ? undefined : `status ${behaviour}`);
    expect(Date.parse(row.completedAt)).toBeGreaterThanOrEqual(Date.parse(row.attemptedAt));
  });

  test("a redirect is a failure and is not followed", async () => {
    const { row, inbox } = await firstAttempt("redirect");
    expect(row).toMatchObject({ status: "failed", responseCode: 302 });
    const name = inbox.url.split("/").at(-1);
    const followed = await env.RECEIVER.fetch(`http://inbox/${name}-redirected`);
    expect(await followed.json()).toEqual([]);
  });

  test("of a big body the first 16 KiB are kept", async () => {
    const { row } = await firstAttempt("big");
    expect([row.status, row.responseBody]).toEqual(["success", "x".repeat(16 * 1024)]);
  });

  test("a body that is not UTF-8 is kept with replacement characters", async () => {
    const { row } = await firstAttempt("binary");
    expect([row.status, row.responseBody]).toEqual(["success", "ok\uFFFD\uFFFD\u0000!"]);
  });

  test("a slow answer is taken", async () => {
    const { row } = await firstAttempt("slow-1500");
    expect([row.status, row.responseBody]).toEqual(["success", "slow"]);
  });

  test("no headers in 10 s is a timeout; a body that does not end counts as far as it came", async () => {
    const ends = ["hang", "bodyhang", "bodyhang-503"].map((behaviour) => firstAttempt(behaviour, 20_000));
    const [silent, unfinished, refused] = await Promise.all(ends);
    expect(silent?.row).toMatchObject({ status: "failed", error: "timeout" });
    expect(silent?.row).not.toHaveProperty("responseCode");
    expect(unfinished?.row).toMatchObject({ status: "success", responseCode: 200, responseBody: "first part" });
    expect(refused?.row).toMatchObject({ status: "failed", responseCode: 503, responseBody: "first part" });
  });

  test("a payload larger than a queue message arrives whole", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const payload = { text: "ü".repeat(100_000) };
    await publish(person, payload);
    const [delivery] = await inbox.arrived(1);
    expect(delivery?.body).toBe(JSON.stringify(payload));
  });
});

describe("what a delivery carries", () => {
  test("a POST of the payload alone, with the headers of the contract", async () => {
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

  test("without a correlation id there is no such header", async () => {
    const { inbox } = await firstAttempt("200");
    expect((await inbox.received())[0]?.headers).not.toHaveProperty("x-correlation-id");
  });

  test.each([
    ["a plain secret", "a-plain-secret", btoa("a-plain-secret")],
    ["a whsec_ secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  ])("the official standardwebhooks package verifies %s and refuses a changed body", async (_, secret, key) => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url, { secret });
    await publish(person, { text: "naïve ✓" });
    const [delivery] = await inbox.arrived(1);
    const { body = "", headers = {} } = delivery ?? {};
    expect(new Webhook(key).verify(body, headers)).toEqual({ text: "naïve ✓" });
    expect(() => new Webhook(key).verify(`${body} `, headers)).toThrow();
  });

  test("a changed secret signs from then on", async () => {
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
