/** postern/client against the service: every endpoint, and every kind of failure. */
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { parseVerbatim } from "../../src/base/exact-json";
import { type Fetch, PosternError, type PosternErrorCode } from "../../src/sdk/client";
import { call, newEmail, PASSWORD, signUp } from "../support/client";
import { HARD, REWRAPPED } from "../support/hard-document";
import { mailTo, tokenIn } from "../support/mailbox";
import { newInbox } from "../support/receiver";
import { clientOf } from "../support/sdk";

/** The error that the call throws. */
async function failureOf(work: Promise<unknown>): Promise<PosternError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PosternError) return error;
  throw new Error(`Expected a PosternError, got ${String(error)}`);
}

const codeOf = async (work: Promise<unknown>): Promise<PosternErrorCode> => (await failureOf(work)).code;

/**
 * Providers call the first two, or send a browser there with a form. The next is a WebSocket, the last a file of what
 * `audit.list` reads.
 */
const NO_METHOD = /\/(in\/:sourceId|sign-on\/:connection\/(initiate|acs|finish|logout)|socket|audit\/export)$/;

test("every endpoint has a method", async () => {
  const { client, sent } = clientOf(await signUp(), { fetch: async () => Response.json({ data: {}, message: "" }) });
  const { register, login, ...auth } = client.auth;
  // These four call the others, and the browser: see passkeys.test.ts.
  const { register: _, login: __, signUp: ___, confirm, ...passkeys } = client.passkeys;
  const { signInUrl, ...identities } = client.identities;
  const methods = [
    () => register({ email: "a@b.c", password: PASSWORD }),
    () => login({ email: "a@b.c", password: PASSWORD }),
    ...[
      auth,
      client.sessions,
      client.apps,
      client.clients,
      client.resources,
      client.twoFactor,
      passkeys,
      identities,
      client.apiKeys,
      client.connections,
      client.tenants,
      client.domains,
      client.setupLinks,
      client.members,
      client.invitations,
      client.webhooks,
      client.eventTypes,
      client.sources,
      client.feeds,
      client.listen,
      client.stats,
      client.audit,
      client.operator,
      ...Object.values(client.platform),
      client.portal.links,
      client.portal.tokens,
    ]
      .flatMap((group) => Object.values(group) as ((...ids: string[]) => Promise<unknown>)[])
      .map((method) => () => method("ID", "ID", "ID")),
    () => client.events.publish({ type: "OrderPaid", payload: null }),
    () => client.events.publishBatch([{ type: "OrderPaid", payload: null }]),
    () => client.events.list({ type: "OrderPaid" }),
    () => client.events.get("ID"),
  ];
  for (const method of methods) {
    await register({ email: "a@b.c", password: PASSWORD });
    await method();
  }
  const endpoints = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/v1/") && !path.endsWith(".json"))
    // A browser opens these as pages.
    .filter(({ method, path }) => method !== "GET" || !/^\/api\/v1\/auth\/(oauth\/|sign-on)/.test(path))
    .filter(({ path }) => !NO_METHOD.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, "ID")}`);
  expect(signInUrl("google", { to: "/a b" })).toBe("http://postern.test/api/v1/auth/oauth/google?to=%2Fa+b");
  expect(endpoints.length).toBeGreaterThan(30);
  expect([...new Set(sent.map(({ route }) => route))].sort()).toEqual([...new Set(endpoints)].sort());
});

test("a library in place of JSON writes and reads the bodies, and what JSON cannot write is a TypeError", async () => {
  const codec = { parse: parseVerbatim, stringify: (value: unknown) => JSON.stringify(value) };
  const { client } = clientOf(await signUp(), { json: codec });
  const { id } = await client.events.publish({ type: "Hard", payload: parseVerbatim(HARD) });
  expect(JSON.stringify((await client.events.get(id)).data.payload)).toBe(REWRAPPED);
  await expect(client.events.publish({ type: "Hard", payload: 1n })).rejects.toBeInstanceOf(TypeError);
});

test("iterating over a list reads all its pages from the given one on, and awaiting it reads one", async () => {
  const { client, sent } = clientOf(await signUp());
  const events = Array.from({ length: 5 }, (_, order) => ({ type: "OrderPaid", payload: order }));
  const published = (await client.events.publishBatch(events)).map(({ id }) => id).toReversed();
  const { data, nextCursor } = await client.events.list({ limit: 2 });
  expect(data.map(({ id }) => id)).toEqual(published.slice(0, 2));
  const before = sent.length;
  const rest: string[] = [];
  for await (const { id } of client.events.list({ limit: 2, cursor: nextCursor ?? "" })) rest.push(id);
  expect(rest).toEqual(published.slice(2));
  expect(sent.length - before).toBe(2);

  const { _id } = await client.webhooks.create({ name: "n", url: newInbox("200").url, events: ["*"], secret: "s" });
  const lists = [client.audit.list({ limit: 1 }), client.webhooks.logPage(_id), client.webhooks.replays(_id)];
  const lengths: number[] = [];
  for (const list of lists) {
    let length = 0;
    for await (const _ of list) length += 1;
    lengths.push(length);
  }
  expect(lengths).toEqual([(await client.audit.list()).data.length, 0, 0]);
});

test("every list can be iterated, also one that comes as a whole", async () => {
  const answer = async () => Response.json({ data: ["first", "second"], nextCursor: null });
  const { client } = clientOf(await signUp(), { fetch: answer });
  type List = (id: string) => AsyncIterable<string>;
  const lists = Object.values(client)
    .flatMap((noun) => Object.entries(noun) as [string, List][])
    .filter(([name]) => ["list", "activity", "logs", "logPage", "replays"].includes(name));
  expect(lists).toHaveLength(24);
  for (const [, list] of lists) {
    const items: string[] = [];
    for await (const item of list("ID")) items.push(item);
    expect(items).toEqual(["first", "second"]);
  }
  const whole: unknown = await client.invitations.list();
  expect(whole).toEqual(["first", "second"]);
});

test("a user can register, verify the address, log in, subscribe, publish, read the log and log out", async () => {
  const { client } = clientOf();
  const email = newEmail();
  await client.auth.register({ email, password: PASSWORD, name: "Ada" });
  expect(await client.auth.verifyEmail(tokenIn(await mailTo(email, /verify|welcome/i)))).toBe(
    "Email verified successfully.",
  );
  await client.auth.login({ email, password: PASSWORD });
  expect(await client.auth.me()).toMatchObject({ email, name: "Ada", emailVerified: true, role: "owner" });
  const inbox = newInbox("200");
  const hook = await client.webhooks.create({ name: "n", url: inbox.url, events: ["*"], secret: "s" });
  expect((await client.webhooks.update(hook._id, { name: "renamed" })).version).toBe(hook.version + 1);
  const published = await client.events.publish({ type: "OrderPaid", payload: [1] }, { idempotencyKey: "k" });
  expect(published.deliveries).toBe(1);
  expect(await client.events.publish({ type: "OrderPaid", payload: [1] }, { idempotencyKey: "k" })).toEqual(published);
  await inbox.arrived(1);
  const [attempt] = await client.webhooks.logs(hook._id);
  expect(attempt).toMatchObject({ eventType: "OrderPaid", payload: [1], attemptCount: 1 });
  await client.auth.logout();
  expect(await codeOf(client.auth.me())).toBe("UNAUTHENTICATED");
});

test("a client with an API key needs no tokens, and a 401 renews nothing", async () => {
  const person = await signUp();
  const { key } = await clientOf(person).client.apiKeys.create({ name: "k", scopes: ["webhook.read"] });
  const { client, refreshes } = clientOf(person, { apiKey: key });
  expect(await client.webhooks.list()).toEqual([]);
  expect(await codeOf(client.events.publish({ type: "T", payload: 1 }))).toBe("FORBIDDEN");
  expect(await codeOf(client.auth.me())).toBe("UNAUTHENTICATED");
  expect(refreshes()).toEqual([]);
});

describe("a failed call throws a PosternError", () => {
  test("with the status, the request id and the details of the answer", async () => {
    const { client } = clientOf(await signUp());
    const error = await failureOf(client.webhooks.create({ name: "", url: "x", events: [], secret: "s" }));
    expect([error.code, error.status, error.retryAfterSeconds]).toEqual(["VALIDATION_FAILED", 400, undefined]);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(error.details.map(({ path }) => path)).toEqual(expect.arrayContaining(["name", "events"]));
  });

  test("with the seconds to wait when a limit is exceeded", async () => {
    const { client } = clientOf(await signUp());
    const calls = Array.from({ length: 6 }, () => failureOf(client.auth.resendVerification()).catch(() => undefined));
    const error = (await Promise.all(calls)).find((failure) => failure !== undefined);
    expect(error).toMatchObject({ code: "RATE_LIMITED", status: 429 });
    expect(error?.retryAfterSeconds).toBeGreaterThan(0);
  });

  test("for an unknown id, a taken email and a wrong password", async () => {
    const person = await signUp();
    const { client } = clientOf(person);
    expect(await failureOf(client.webhooks.get("none"))).toMatchObject({
      code: "NOT_FOUND",
      message: "Webhook not found",
    });
    expect(await codeOf(client.auth.register({ email: person.email, password: PASSWORD }))).toBe("EMAIL_TAKEN");
    expect(await codeOf(client.auth.login({ email: person.email, password: "wrong" }))).toBe("UNAUTHENTICATED");
    expect((await client.auth.me()).email).toBe(person.email);
  });

  test("when there is no response, a response of something else, or none in time", async () => {
    const person = await signUp();
    const failing = (fetch: () => Promise<Response>) => clientOf(person, { fetch }).client.webhooks.list();
    const refused = await failureOf(failing(() => Promise.reject(new TypeError("connection refused"))));
    expect([refused.code, refused.status, refused.cause]).toEqual([
      "NETWORK_ERROR",
      0,
      new TypeError("connection refused"),
    ]);
    const foreign = await failureOf(failing(async () => new Response("<html>", { status: 502 })));
    expect([foreign.code, foreign.status]).toEqual(["BAD_RESPONSE", 502]);
    expect(await codeOf(failing(async () => new Response("<html>")))).toBe("BAD_RESPONSE");
    expect(await codeOf(failing(async () => Response.json({ captive: "portal" })))).toBe("BAD_RESPONSE");
    const hanging: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    expect(await codeOf(clientOf(person, { fetch: hanging, timeoutMs: 50 }).client.auth.me())).toBe("TIMEOUT");
    expect(await codeOf(clientOf(person, { fetch: hanging }).client.auth.me({ timeoutMs: 50 }))).toBe("TIMEOUT");
    const gone = new AbortController();
    const aborted = clientOf(person, { fetch: hanging }).client.auth.me({ signal: gone.signal });
    gone.abort("the page was left");
    await expect(aborted).rejects.toBe("the page was left");
  });

  test("a wrong current password is WRONG_PASSWORD and is sent once", async () => {
    const { client, sent, refreshes } = clientOf(await signUp());
    const change = client.auth.changePassword({ currentPassword: "wrong", newPassword: "another good password" });
    expect(await codeOf(change)).toBe("WRONG_PASSWORD");
    expect(sent.filter(({ route }) => route.endsWith("change-password")).length).toBe(1);
    expect(refreshes()).toEqual([]);
  });

  test("logging out clears the store even when the service cannot be reached", async () => {
    const person = await signUp();
    const { client, sent } = clientOf(person, { fetch: () => Promise.reject(new TypeError("offline")) });
    expect(await codeOf(client.auth.logout())).toBe("NETWORK_ERROR");
    await client.auth.logout();
    expect(sent.length).toBe(1);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(200);
  });
});
