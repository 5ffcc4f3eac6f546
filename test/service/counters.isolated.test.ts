/** The counters of `/metrics`: what they count, when isolates hand them over, and what is lost. */
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import worker from "../../src";
import { newEmail, PASSWORD, signUpVerified } from "../support/client";
import { userWithoutMail } from "../support/fixtures";
import { parseMetrics } from "../support/metrics";

/** Longer than an isolate keeps its counts, and than a page of metrics is kept. */
const LATER_MS = 16_000;
/** Never goes back, because isolates remember when they last handed over. */
let nowMs = Date.now();

function later(): void {
  nowMs += LATER_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function request(path: string, { bindings = {}, body }: { bindings?: object; body?: object } = {}) {
  const context = createExecutionContext();
  const init = {
    method: body ? "POST" : "GET",
    headers: {
      "cf-connecting-ip": crypto.randomUUID(),
      "content-type": "application/json",
      authorization: `Bearer ${env.METRICS_TOKEN}`,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
  const url = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, init);
  const response = await worker.fetch(url, { ...env, ...bindings } as Env, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, text };
}

/** What the counters show, by what they count and its kind. */
async function counters(): Promise<Record<string, number>> {
  const { samples } = parseMetrics((await request("/metrics")).text);
  const own = samples.filter(({ name }) => name.endsWith("_total"));
  return Object.fromEntries(
    own.map(({ name, labels, value }) => [`${name.split("_")[1]} ${Object.values(labels)}`, value]),
  );
}

/** How much the counters have grown by `work`. The request that hands over what was counted is one of 2xx. */
async function growth(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const settled = async () => {
    later();
    await request("/health");
    return counters();
  };
  const before = await settled();
  await work();
  const after = await settled();
  const grown = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, by]) => by > 0));
}

/** A namespace of objects that add nothing up. */
const namespace = (addCounts: () => Promise<never>) => ({ idFromName: () => "", get: () => ({ addCounts }) });

test("before anything has happened, each counter is 0", async () => {
  // The isolate has what it counted in the test file before.
  const lose = vi.fn(() => Promise.resolve(undefined as never));
  later();
  await request("/health", { bindings: { SWEEPER: namespace(lose) } });
  expect(lose).toHaveBeenCalledTimes(1);
  const zeros = ["2xx", "3xx", "4xx", "5xx"].map((status) => [`requests ${status}`, 0]);
  const others = ["logins success", "logins failed", "mails sent", "mails failed", "mails refused"].map((key) => [
    key,
    0,
  ]);
  expect(await counters()).toEqual(Object.fromEntries([...zeros, ...others]));
});

test("requests are counted by the class of their status", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const grown = await growth(async () => {
    expect((await request("/health")).status).toBe(200);
    expect((await request("/nowhere")).status).toBe(404);
    expect((await request("/nowhere")).status).toBe(404);
    expect((await request("/health", { bindings: { RETENTION_DAYS: "0" } })).status).toBeGreaterThanOrEqual(500);
  });
  // The page that was read before and the request that hands over answer 200 too.
  expect(grown).toEqual({ "requests 2xx": 3, "requests 4xx": 2, "requests 5xx": 1 });
});

// Before the tests with people who are mailed: those mails would count here.
test("mails are counted by what the provider said", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const userId = await userWithoutMail();
  const send = async (answer: () => Promise<unknown>) => {
    const body = { kind: "verification", id: crypto.randomUUID(), userId };
    const batch = createMessageBatch("postern-mail", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
    const context = createExecutionContext();
    await worker.queue(batch, { ...env, EMAIL: { send: answer } } as unknown as Env, context);
    await waitOnExecutionContext(context);
  };
  const refuse = (code: string) => () => Promise.reject(Object.assign(new Error("refused"), { code }));
  const grown = await growth(async () => {
    await send(async () => ({ messageId: "m" }));
    await send(refuse("E_RECIPIENT_SUPPRESSED"));
    await send(refuse("E_RATE_LIMIT_EXCEEDED"));
    await send(refuse("E_RATE_LIMIT_EXCEEDED"));
  });
  expect(grown).toMatchObject({ "mails sent": 1, "mails refused": 1, "mails failed": 2 });
});

test("sign-ins are counted, right and wrong ones, with and without an account", async () => {
  const { email } = await signUpVerified();
  const logIn = (password: string, as = email) => request("/api/v1/auth/login", { body: { email: as, password } });
  const grown = await growth(async () => {
    await logIn(PASSWORD);
    await logIn("a wrong pass phrase");
    await logIn("a wrong pass phrase", newEmail());
  });
  expect(grown).toMatchObject({ "logins success": 1, "logins failed": 2 });
});

test("within 15 seconds an isolate hands over once", async () => {
  const addCounts = vi.fn(() => Promise.resolve(undefined as never));
  later();
  for (let time = 0; time < 5; time += 1) await request("/health", { bindings: { SWEEPER: namespace(addCounts) } });
  expect(addCounts).toHaveBeenCalledTimes(1);
});

test("without METRICS_TOKEN nothing is handed over", async () => {
  const addCounts = vi.fn(() => Promise.resolve(undefined as never));
  const grown = await growth(async () => {
    later();
    await request("/nowhere", { bindings: { METRICS_TOKEN: undefined, SWEEPER: namespace(addCounts) } });
  });
  expect(addCounts).not.toHaveBeenCalled();
  expect(grown["requests 4xx"]).toBe(1);
});

test("nothing is lost when the object that adds up fails", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const grown = await growth(async () => {
    later();
    await request("/nowhere", { bindings: { SWEEPER: namespace(() => Promise.reject(new Error("gone"))) } });
  });
  expect(error.mock.calls.join()).toContain("hand over counts");
  expect(grown["requests 4xx"]).toBe(1);
});

test("counts that fifty isolates hand over at once are all added", async () => {
  const object = env.SWEEPER.get(env.SWEEPER.idFromName("counts"));
  const before = (await object.counts())["mails.sent"] ?? 0;
  await Promise.all(Array.from({ length: 50 }, () => object.addCounts({ "mails.sent": 2 })));
  expect((await object.counts())["mails.sent"]).toBe(before + 100);
});
