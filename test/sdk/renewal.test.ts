/** postern/client renews the access token: once for concurrent calls, after lost answers, and across tabs. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Fetch, memoryStore, PosternError } from "../../src/sdk/client";
import { call, type Person, signUp } from "../support/client";
import { clientOf, serviceFetch } from "../support/sdk";

const EXPIRED_MS = 16 * 60_000;
const isRefresh = (url: string) => url.endsWith("/auth/refresh");

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Signs up, then moves the clock until the access token has expired. */
async function signUpLongAgo(): Promise<Person> {
  const person = await signUp();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + EXPIRED_MS });
  return person;
}

const stored = ({ token, refreshToken }: Person) => memoryStore({ accessToken: token, refreshToken });
const keysOf = (refreshes: { headers: Headers }[]) =>
  new Set(refreshes.map(({ headers }) => headers.get("idempotency-key")));

/** A `fetch` that gives `lost()` instead of the service's first answers to a refresh. */
function losing(answers: number, lost: () => Promise<Response>): Fetch {
  let left = answers;
  return async (url, init) => {
    const answer = await serviceFetch(url, init);
    return isRefresh(url) && left-- > 0 ? lost() : answer;
  };
}

describe("an expired access token", () => {
  test("is renewed once for 20 parallel calls, which all succeed", async () => {
    const { client, refreshes } = clientOf(await signUpLongAgo());
    const lists = await Promise.all(Array.from({ length: 20 }, () => client.webhooks.list()));
    expect(lists).toEqual(Array(20).fill([]));
    expect(refreshes().length).toBe(1);
    expect(refreshes()[0]?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await client.webhooks.list();
    expect(refreshes().length).toBe(1);
  });

  test("is not renewed again for a 401 that arrives after the renewal", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let first = true;
    const fetch: Fetch = async (url, init) => {
      const late = first && !isRefresh(url);
      first = false;
      const answer = await serviceFetch(url, init);
      if (late) await held;
      return answer;
    };
    const { client, refreshes } = clientOf(await signUpLongAgo(), { fetch });
    const straggler = client.webhooks.list();
    await client.webhooks.list();
    release();
    expect(await straggler).toEqual([]);
    expect(refreshes().length).toBe(1);
  });

  test("is renewed with a new Idempotency-Key for each refresh token", async () => {
    const { client, refreshes } = clientOf(await signUpLongAgo());
    await client.auth.me();
    vi.setSystemTime(Date.now() + EXPIRED_MS);
    await client.auth.me();
    expect([refreshes().length, keysOf(refreshes()).size]).toEqual([2, 2]);
  });

  test("can be renewed before it expires", async () => {
    const person = await signUp();
    const { client, refreshes } = clientOf(person);
    const pair = await client.auth.refresh();
    expect(pair?.refreshToken).not.toBe(person.refreshToken);
    expect((await client.auth.me()).role).toBe("owner");
    expect(refreshes().length).toBe(1);
  });

  test("is renewed for the other callers when one of them aborts", async () => {
    const { client, refreshes } = clientOf(await signUpLongAgo());
    const gone = new AbortController();
    const aborted = client.auth.me({ signal: gone.signal });
    const waiting = client.auth.me();
    gone.abort("gone");
    await expect(aborted).rejects.toBe("gone");
    expect((await waiting).role).toBe("owner");
    expect(refreshes().length).toBe(1);
  });
});

describe("a lost answer to a refresh", () => {
  test.each([
    ["the connection fails", () => Promise.reject(new TypeError("network"))],
    ["a proxy answers 502", async () => new Response("<html>", { status: 502 })],
    ["a proxy answers 200 with its own page", async () => new Response("<html>")],
  ])("is asked for again with the same key when %s", async (_, lost) => {
    const { client, refreshes } = clientOf(await signUpLongAgo(), { fetch: losing(1, lost) });
    expect((await client.auth.me()).role).toBe("owner");
    expect([refreshes().length, keysOf(refreshes()).size]).toEqual([2, 1]);
  });

  test("is asked for again with the same key by a page that was closed and loaded again", async () => {
    const person = await signUpLongAgo();
    const tokens = stored(person);
    const closed = clientOf(person, { tokens, timeoutMs: 500, fetch: losing(1, () => new Promise(() => {})) });
    await expect(closed.client.auth.me()).rejects.toMatchObject({ code: "TIMEOUT" });
    const reloaded = clientOf(person, { tokens });
    expect((await reloaded.client.auth.me()).role).toBe("owner");
    expect(keysOf([...closed.refreshes(), ...reloaded.refreshes()]).size).toBe(1);
  });
});

describe("a refused refresh token", () => {
  test("clears the store, and every caller gets its code", async () => {
    const person = await signUpLongAgo();
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    const tokens = stored(person);
    const { client, refreshes } = clientOf(person, { tokens });
    const answers = await Promise.allSettled([client.auth.me(), client.auth.me()]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "REFRESH_TOKEN_INVALID", status: 401 } });
    }
    expect([await tokens.load(), refreshes().length]).toEqual([null, 1]);
  });

  test("is not an error when another tab has renewed in the meantime", async () => {
    const person = await signUpLongAgo();
    const tokens = stored(person);
    const fetch: Fetch = async (url, init) => {
      if (!isRefresh(url)) return serviceFetch(url, init);
      const other = await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
      await tokens.save(other.body.data);
      return serviceFetch(url, init);
    };
    const { client } = clientOf(person, { tokens, fetch });
    expect((await client.auth.me()).role).toBe("owner");
  });

  test("is not assumed when the service is limiting requests: the tokens stay", async () => {
    const person = await signUpLongAgo();
    const tokens = stored(person);
    const limited = { code: "RATE_LIMITED", message: "Too many", requestId: "r" };
    const fetch: Fetch = async (url, init) =>
      isRefresh(url)
        ? Response.json(limited, { status: 429, headers: { "retry-after": "7" } })
        : serviceFetch(url, init);
    const { client } = clientOf(person, { tokens, fetch });
    const error = await client.auth.me().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PosternError);
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 7 });
    expect((await tokens.load())?.refreshToken).toBe(person.refreshToken);
  });
});

test("a logout during a renewal is not undone", async () => {
  const person = await signUpLongAgo();
  const tokens = stored(person);
  const fetch: Fetch = async (url, init) => {
    const answer = await serviceFetch(url, init);
    if (isRefresh(url)) await client.auth.logout();
    return answer;
  };
  const { client } = clientOf(person, { tokens, fetch });
  await expect(client.auth.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect(await tokens.load()).toBe(null);
});

test("tabs that share a store and Web Locks renew once for all of them", async () => {
  const queues = new Map<string, Promise<unknown>>();
  const request = (name: string, _options: unknown, work: () => Promise<unknown>) => {
    const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
    queues.set(name, turn);
    return turn;
  };
  vi.stubGlobal("navigator", { locks: { request } });
  const person = await signUpLongAgo();
  const tokens = stored(person);
  const tabs = Array.from({ length: 4 }, () => clientOf(person, { tokens }));
  const profiles = await Promise.all(tabs.flatMap(({ client }) => [client.auth.me(), client.auth.me()]));
  expect(profiles.map(({ role }) => role)).toEqual(Array(8).fill("owner"));
  expect(tabs.flatMap(({ refreshes }) => refreshes()).length).toBe(1);
});
