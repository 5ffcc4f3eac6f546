/** postern/client renews the access token: once for all, through lost answers, across tabs. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Fetch, memoryStore, PosternError } from "../src/client";
import { call, type Person, signUp } from "./support/client";
import { clientOf, wire } from "./support/sdk";

const EXPIRED_MS = 16 * 60_000;
const isRefresh = (url: string) => url.endsWith("/auth/refresh");

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Somebody whose access token has run out. */
async function signedUpLongAgo(): Promise<Person> {
  const person = await signUp();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + EXPIRED_MS });
  return person;
}

const stored = ({ token, refreshToken }: Person) => memoryStore({ accessToken: token, refreshToken });
const keysOf = (refreshes: { headers: Headers }[]) =>
  new Set(refreshes.map(({ headers }) => headers.get("idempotency-key")));

/** A wire on which the service's first answers to a refresh are lost in a way of the caller's. */
function losing(answers: number, lost: () => Promise<Response>): Fetch {
  let left = answers;
  return async (url, init) => {
    const answer = await wire(url, init);
    return isRefresh(url) && left-- > 0 ? lost() : answer;
  };
}

describe("an expired access token", () => {
  test("20 parallel calls: one refresh, 20 successes", async () => {
    const { client, refreshes } = clientOf(await signedUpLongAgo());
    const lists = await Promise.all(Array.from({ length: 20 }, () => client.webhooks.list()));
    expect(lists).toEqual(Array(20).fill([]));
    expect(refreshes().length).toBe(1);
    expect(refreshes()[0]?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await client.webhooks.list();
    expect(refreshes().length).toBe(1);
  });

  test("a 401 that comes in after the renewal causes no second one", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let first = true;
    const fetch: Fetch = async (url, init) => {
      const late = first && !isRefresh(url);
      first = false;
      const answer = await wire(url, init);
      if (late) await held;
      return answer;
    };
    const { client, refreshes } = clientOf(await signedUpLongAgo(), { fetch });
    const straggler = client.webhooks.list();
    await client.webhooks.list();
    release();
    expect(await straggler).toEqual([]);
    expect(refreshes().length).toBe(1);
  });

  test("each refresh token has a key of its own", async () => {
    const { client, refreshes } = clientOf(await signedUpLongAgo());
    await client.auth.me();
    vi.setSystemTime(Date.now() + EXPIRED_MS);
    await client.auth.me();
    expect([refreshes().length, keysOf(refreshes()).size]).toEqual([2, 2]);
  });

  test("can be renewed ahead of its time", async () => {
    const person = await signUp();
    const { client, refreshes } = clientOf(person);
    const pair = await client.auth.refresh();
    expect(pair?.refreshToken).not.toBe(person.refreshToken);
    expect((await client.auth.me()).role).toBe("owner");
    expect(refreshes().length).toBe(1);
  });

  test("one caller's abort does not end the renewal for the others", async () => {
    const { client, refreshes } = clientOf(await signedUpLongAgo());
    const gone = new AbortController();
    const impatient = client.auth.me({ signal: gone.signal });
    const patient = client.auth.me();
    gone.abort("gone");
    await expect(impatient).rejects.toBe("gone");
    expect((await patient).role).toBe("owner");
    expect(refreshes().length).toBe(1);
  });
});

describe("a lost answer to the refresh", () => {
  test.each([
    ["the connection breaks", () => Promise.reject(new TypeError("network"))],
    ["a proxy answers 502", async () => new Response("<html>", { status: 502 })],
    ["a proxy answers 200 with a page of its own", async () => new Response("<html>")],
  ])("when %s: the same key gets it again", async (_, lost) => {
    const { client, refreshes } = clientOf(await signedUpLongAgo(), { fetch: losing(1, lost) });
    expect((await client.auth.me()).role).toBe("owner");
    expect([refreshes().length, keysOf(refreshes()).size]).toEqual([2, 1]);
  });

  test("a page that died in between gets it in its next life", async () => {
    const person = await signedUpLongAgo();
    const tokens = stored(person);
    const dying = clientOf(person, { tokens, timeoutMs: 500, fetch: losing(1, () => new Promise(() => {})) });
    await expect(dying.client.auth.me()).rejects.toMatchObject({ code: "TIMEOUT" });
    const next = clientOf(person, { tokens });
    expect((await next.client.auth.me()).role).toBe("owner");
    expect(keysOf([...dying.refreshes(), ...next.refreshes()]).size).toBe(1);
  });
});

describe("a refused refresh token", () => {
  test("clears the store, and every caller is told why", async () => {
    const person = await signedUpLongAgo();
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    const tokens = stored(person);
    const { client, refreshes } = clientOf(person, { tokens });
    const answers = await Promise.allSettled([client.auth.me(), client.auth.me()]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "REFRESH_TOKEN_INVALID", status: 401 } });
    }
    expect([await tokens.load(), refreshes().length]).toEqual([null, 1]);
  });

  test("that another tab has renewed meanwhile is no failure", async () => {
    const person = await signedUpLongAgo();
    const tokens = stored(person);
    const fetch: Fetch = async (url, init) => {
      if (!isRefresh(url)) return wire(url, init);
      const other = await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
      await tokens.save(other.body.data);
      return wire(url, init);
    };
    const { client } = clientOf(person, { tokens, fetch });
    expect((await client.auth.me()).role).toBe("owner");
  });

  test("a limit or an outage keeps the tokens", async () => {
    const person = await signedUpLongAgo();
    const tokens = stored(person);
    const limited = { code: "RATE_LIMITED", message: "Too many", requestId: "r" };
    const fetch: Fetch = async (url, init) =>
      isRefresh(url) ? Response.json(limited, { status: 429, headers: { "retry-after": "7" } }) : wire(url, init);
    const { client } = clientOf(person, { tokens, fetch });
    const error = await client.auth.me().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PosternError);
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 7 });
    expect((await tokens.load())?.refreshToken).toBe(person.refreshToken);
  });
});

test("a logout during the renewal stands", async () => {
  const person = await signedUpLongAgo();
  const tokens = stored(person);
  const fetch: Fetch = async (url, init) => {
    const answer = await wire(url, init);
    if (isRefresh(url)) await client.auth.logout();
    return answer;
  };
  const { client } = clientOf(person, { tokens, fetch });
  await expect(client.auth.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await tokens.load()).toBe(null);
});

test("tabs that share a store and Web Locks: one refresh for all of them", async () => {
  const queues = new Map<string, Promise<unknown>>();
  const request = (name: string, _options: unknown, work: () => Promise<unknown>) => {
    const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
    queues.set(name, turn);
    return turn;
  };
  vi.stubGlobal("navigator", { locks: { request } });
  const person = await signedUpLongAgo();
  const tokens = stored(person);
  const tabs = Array.from({ length: 4 }, () => clientOf(person, { tokens }));
  const profiles = await Promise.all(tabs.flatMap(({ client }) => [client.auth.me(), client.auth.me()]));
  expect(profiles.map(({ role }) => role)).toEqual(Array(8).fill("owner"));
  expect(tabs.flatMap(({ refreshes }) => refreshes()).length).toBe(1);
});
