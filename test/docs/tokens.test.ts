/** The refresh loop of src/docs/pages/tokens.md, run against the service. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Person, signUp } from "../support/client";
import { serviceFetch } from "../support/sdk";

interface Page {
  api(path: string): Promise<Response>;
}

/** A variable, so that TypeScript does not check the imported file. */
const SNIPPET: string = "../../src/docs/pages/tokens/refresh.js";
const { "../../src/docs/pages/tokens/refresh.js": snippet } = import.meta.glob("../../src/docs/pages/tokens/*.js", {
  query: "?raw",
  import: "default",
  eager: true,
});
const { "../../src/docs/pages/tokens.md": page } = import.meta.glob("../../src/docs/pages/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

const storage = new Map<string, string>();
const refreshKeys: (string | null)[] = [];
let answersToLose = 0;

beforeEach(() => {
  storage.clear();
  refreshKeys.length = 0;
  let turn: Promise<unknown> = Promise.resolve();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  });
  vi.stubGlobal("navigator", {
    locks: { request: (_: string, work: () => Promise<unknown>) => (turn = turn.then(work, work)) },
  });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const answer = await serviceFetch(url, init);
    if (!url.endsWith("/auth/refresh")) return answer;
    refreshKeys.push(new Headers(init.headers).get("idempotency-key"));
    if (answersToLose-- > 0) throw new TypeError("network");
    return answer;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function signedUpLongAgo(): Promise<Person> {
  const person = await signUp();
  storage.set("tokens", JSON.stringify({ accessToken: person.token, refreshToken: person.refreshToken }));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60_000 });
  return person;
}

const load = async () => (await import(SNIPPET)) as Page;

test("is shown on the page unchanged", () => {
  expect(page).toContain(`\`\`\`js\n${snippet}\`\`\`\n`);
});

test("20 calls refresh once, even when the first two responses are lost", async () => {
  await signedUpLongAgo();
  answersToLose = 2;
  const { api } = await load();
  const answers = await Promise.all(Array.from({ length: 20 }, () => api("/auth/me")));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect([refreshKeys.length, new Set(refreshKeys).size]).toEqual([3, 1]);
  expect((await api("/auth/me")).status).toBe(200);
});

test("a refused refresh token is discarded, and the caller gets the 401", async () => {
  const person = await signedUpLongAgo();
  await serviceFetch("http://postern.test/api/v1/auth/logout", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ refreshToken: person.refreshToken }),
  });
  const { api } = await load();
  expect((await api("/auth/me")).status).toBe(401);
  expect(storage.size).toBe(0);
});
