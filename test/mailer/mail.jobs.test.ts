/** The mail queue's consumer: what is tried again, with which token, and how much an address gets. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { retryDelaySeconds } from "../../src/mailer/consume";
import { call, eventually, newEmail, signUp, signUpVerified, verify } from "../support/client";
import { mailsTo, mailTo, type SentMail, tokenIn } from "../support/mailbox";
import { callUnder } from "../support/overrides";

const HOUR_SECONDS = 3_600;
const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const [wrangler = ""] = Object.values(
  import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true }),
);

afterEach(() => void vi.useRealTimers());

/** Hands one job to the consumer, with a provider of the test's own. */
async function consume(job: object, attempts: number, send: (mail: SentMail) => Promise<unknown>) {
  const messages = [{ id: "m", timestamp: new Date(), attempts, body: job }];
  const batch = createMessageBatch("postern-mail", messages);
  const context = createExecutionContext();
  // The delay is no part of the result of a batch.
  const delays: (number | undefined)[] = [];
  const [message] = batch.messages;
  if (!message) throw new Error("no message");
  const retry = message.retry.bind(message);
  message.retry = (options) => {
    delays.push(options?.delaySeconds);
    retry(options);
  };
  await worker.queue(batch, { ...env, EMAIL: { send } } as unknown as Env, context);
  const { explicitAcks, retryMessages } = await getQueueResult(batch, context);
  return { isDone: explicitAcks.length === 1, isRetried: retryMessages.length === 1, delays };
}

const refusing = (code: string | undefined) => () => Promise.reject(Object.assign(new Error("refused"), { code }));

describe("a refusal", () => {
  test.each([
    "E_VALIDATION_ERROR",
    "E_RECIPIENT_SUPPRESSED",
    "E_RECIPIENT_NOT_ALLOWED",
    "E_CONTENT_TOO_LARGE",
    "E_HEADER_VALUE_INVALID",
  ])("for good ends at once: %s", async (code) => {
    const { userId } = await signUp();
    const result = await consume({ kind: "verification", id: crypto.randomUUID(), userId }, 1, refusing(code));
    expect(result).toEqual({ isDone: true, isRetried: false, delays: [] });
  });

  test.each([
    "E_RATE_LIMIT_EXCEEDED",
    "E_DAILY_LIMIT_EXCEEDED",
    "E_DELIVERY_FAILED",
    "E_INTERNAL_SERVER_ERROR",
    "E_SENDER_NOT_VERIFIED",
    "E_OF_TOMORROW",
    undefined,
  ])("for now is tried again later: %s", async (code) => {
    const { userId } = await signUp();
    const job = { kind: "verification", id: crypto.randomUUID(), userId };
    expect(await consume(job, 1, refusing(code))).toEqual({ isDone: false, isRetried: true, delays: [30] });
    expect((await consume(job, 4, refusing(code))).delays).toEqual([240]);
  });

  test("is tried for more than 24 hours, at growing intervals that the queue can wait", () => {
    const consumer = wrangler.match(/queue = "postern-mail"\nmax_batch_size[\s\S]*?\n\n/)?.[0] ?? "";
    const retries = Number(consumer.match(/max_retries = (\d+)/)?.[1]);
    const delays = Array.from({ length: retries }, (_, index) => retryDelaySeconds(index + 1));
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(Math.max(...delays)).toBeLessThanOrEqual(12 * HOUR_SECONDS);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(24 * HOUR_SECONDS);
  });
});

describe("a repeated mail", () => {
  test("carries the same token, which is valid for the full time again", async () => {
    const { email } = await signUp();
    const job = { kind: "passwordReset", id: crypto.randomUUID(), email };
    const sent: SentMail[] = [];
    const send = async (mail: SentMail) => void sent.push(mail);
    await consume(job, 1, async (mail) => {
      sent.push(mail);
      throw new Error("lost on the way");
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * HOUR_SECONDS * 1000 });
    await consume(job, 8, send);
    await consume({ ...job, id: crypto.randomUUID() }, 1, send);
    const [first = "", second = "", other = ""] = sent.map(tokenIn);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const body = { token: first, newPassword: "a much better password" };
    expect((await call("POST", "/auth/reset-password", { body })).status).toBe(200);
  });

  test("does not revive a token that was used", async () => {
    const { email } = await signUp();
    const job = { kind: "passwordReset", id: crypto.randomUUID(), email };
    const sent: SentMail[] = [];
    const send = async (mail: SentMail) => void sent.push(mail);
    await consume(job, 1, send);
    const [token = ""] = sent.map(tokenIn);
    const reset = () =>
      call("POST", "/auth/reset-password", {
        body: { token, newPassword: "a much better password" },
        headers: { "cf-connecting-ip": "198.51.100.33" },
      });
    expect((await reset()).status).toBe(200);
    await consume(job, 2, send);
    expect((await reset()).body.code).toBe("INVALID_TOKEN");
  });
});

describe("an address", () => {
  const notice = (userId: string) => ({ kind: "twoFactorChanged", id: crypto.randomUUID(), userId, enabled: true });

  test("gets at most 20 notices a day, in parallel too; a try of one that was counted does not count", async () => {
    const { userId, email } = await signUp();
    await verify(email);
    let sent = 0;
    const send = async () => {
      sent += 1;
    };
    await Promise.all(Array.from({ length: 50 }, () => consume(notice(userId), 1, send)));
    expect(sent).toBe(20);
    await consume(notice(userId), 2, send);
    expect(sent).toBe(21);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * HOUR_SECONDS * 1000 });
    await consume(notice(userId), 1, send);
    expect(sent).toBe(22);
  });

  test("gets at most 10 of the frequent ones, which leave room for the others", async () => {
    const { userId, email } = await signUp();
    await verify(email);
    let sent = 0;
    const send = async () => {
      sent += 1;
    };
    const minor = () => ({ kind: "apiKeyCreated", id: crypto.randomUUID(), userId, keyName: "key" });
    for (let count = 0; count < 15; count++) await consume(minor(), 1, send);
    expect(sent).toBe(10);
    await consume(notice(userId), 1, send);
    expect(sent).toBe(11);
  });

  test("that is not verified gets no notices, and no words of whoever registered it", async () => {
    const email = newEmail();
    const body = { email, password: "correct horse battery", name: "Buy at evil.example", tenantName: "Cheap pills" };
    const registered = await call("POST", "/auth/register", { body });
    const token = registered.body.data.accessToken;
    for (let count = 0; count < 3; count++) {
      await call("POST", "/api-keys", { token, body: { name: "Buy at evil.example", scopes: ["webhook.read"] } });
    }
    await call("POST", "/auth/forgot-password", { body: { email } });
    await mailTo(email, /Reset/);
    await eventually("verification mail", async () => mailsTo(email).some(({ subject }) => /Verify/.test(subject)));
    expect(mailsTo(email)).toHaveLength(2);
    expect(JSON.stringify(mailsTo(email))).not.toMatch(/evil|pills/);
  });
});

test("only the consumer of the mail queue asks the provider", () => {
  const askers = Object.entries(sources).filter(([, text]) => /\bmailer\.send\(/.test(text));
  expect(askers.map(([path]) => path)).toEqual(["../../src/mailer/consume.ts"]);
});

test("a request for a mail answers 503 with Retry-After while the queue is down", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const person = await signUpVerified();
  const queue = { send: () => Promise.reject(new Error("the queue is down")) };
  for (const path of ["/auth/forgot-password", "/auth/code"]) {
    const request = { path: `/api/v1${path}`, body: { email: person.email } };
    const { status, headers, body } = await callUnder({ MAIL_QUEUE: queue }, request);
    expect([path, status, body.code]).toEqual([path, 503, "SERVICE_UNAVAILABLE"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  vi.restoreAllMocks();
});
