/** The signed list of what is revoked, at /.well-known/revoked. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import {
  foldTenant,
  largestCrowd,
  type Revocation,
  readRevocations,
} from "../../src/identity/tokens/revocations-store";
import { call, type Person } from "../support/client";
import { expectDocumented } from "../support/contract";
import { alone, claimsOf, sessionKey } from "../support/revocations";
import { serviceFetch } from "../support/sdk";

afterEach(() => {
  vi.useRealTimers();
});

describe("GET /.well-known/revoked", () => {
  const prefixOf = async (text: string) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return btoa(String.fromCharCode(...digest.subarray(0, 9)))
      .replaceAll("+", "-")
      .replaceAll("/", "_");
  };
  async function get(headers: Record<string, string> = {}) {
    const request = new Request("http://postern.test/.well-known/revoked", { headers });
    const response = await serviceFetch(request.url, { headers });
    const answer = { status: response.status, headers: response.headers, body: await response.text() };
    await expectDocumented(request, answer);
    return answer;
  }
  const keySet = async () => createLocalJWKSet((await call("GET", "//.well-known/jwks.json")).body);
  const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
  async function listed() {
    const { body } = await get();
    const options = { typ: "revoked+jwt", audience: "postern", issuer: "https://postern.test" };
    return (await jwtVerify(body, await keySet(), options)).payload as unknown as {
      iat: number;
      ttl: number;
      revoked: [string, number][];
    };
  }

  test("is a signed list with the prefix of each text, sorted, and its second, rounded up", async () => {
    const [person] = (await alone()) as [Person];
    const before = Math.floor(Date.now() / 1000);
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    later(1100);
    const { iat, ttl, revoked } = await listed();
    expect([iat % 10, ttl]).toEqual([0, 900]);
    const entries = new Map(revoked);
    const at = entries.get(await prefixOf(sessionKey(person))) ?? 0;
    expect(at).toBeGreaterThanOrEqual(claimsOf(person).iat);
    expect(at - before).toBeGreaterThanOrEqual(1);
    expect(at - before).toBeLessThan(60);
    expect(revoked.map(([prefix]) => prefix)).toEqual([...entries.keys()].sort());
  });

  test("has the entry for every token that a runbook writes", async () => {
    const at = Math.floor(Date.now() / 1000) - 900;
    await env.DB.prepare("INSERT INTO revocations (at, key) VALUES (?, '*')").bind(at).run();
    later(10_000);
    expect((await listed()).revoked).toContainEqual(["*", at]);
    await env.DB.prepare("DELETE FROM revocations WHERE key = '*' AND at = ?").bind(at).run();
  });

  test("has the type, a weak ETag and a second of cache; the same list is not sent again", async () => {
    const { status, headers } = await get();
    const etag = headers.get("etag") ?? "";
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/jwt",
      "public, max-age=1",
    ]);
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 10_000) * 10_000 + 10_000 });
    const held = (await get()).headers.get("etag") ?? "";
    const again = await get({ "if-none-match": `"another", ${held}` });
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", held]);
    later(10_000);
    expect((await get({ "if-none-match": held })).status).toBe(200);
  });

  test("forgets an entry after 960 seconds", async () => {
    const [person] = (await alone()) as [Person];
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    const prefix = await prefixOf(sessionKey(person));
    const isListed = async () => (await listed()).revoked.some(([other]) => other === prefix);
    later(955_000);
    expect(await isListed()).toBe(true);
    later(10_000);
    expect(await isListed()).toBe(false);
  });

  test("asks D1 at most once a second, also for 50 requests at once", async () => {
    later(5000);
    const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), "prepare");
    await Promise.all(Array.from({ length: 50 }, () => get()));
    const readings = prepare.mock.calls.filter(([query]) => /FROM revocations/.test(String(query)));
    prepare.mockRestore();
    expect(readings).toHaveLength(1);
  });

  /** Makes 30,000 rows, which `select` fills from `n.i` and from ?1, the present second. Returns what the list says. */
  async function filledWith(select: string): Promise<{ at: number; entries: ReadonlyMap<string, number> }> {
    const at = Math.ceil(Date.now() / 1000);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29999)
        INSERT OR IGNORE INTO revocations (key, user_id, at, tenants) SELECT ${select} FROM n`,
    )
      .bind(at)
      .run();
    const clear = env.DB.prepare("DELETE FROM revocations WHERE instr(key, 'filled')");
    // What was read within a second, before or after, is not read again.
    filledAtMs += 2000;
    later(filledAtMs);
    return { at, entries: new Map((await listed().finally(() => clear.run())).revoked) };
  }
  let filledAtMs = 20_000;
  const timeOf = async (entries: ReadonlyMap<string, number>, key: string) => entries.get(await prefixOf(key));

  test("names a key once, with its latest second, however often it was revoked", async () => {
    const { at, entries } = await filledWith("'m:filled:' || (i % 40), NULL, ?1 - i / 40, NULL");
    expect(entries.has("*")).toBe(false);
    expect(await timeOf(entries, "m:filled:0")).toBe(at);
    expect(await timeOf(entries, "m:filled:39")).toBe(at);
  });

  test("names a member instead of more than 50 sessions, and neither the tenant nor other members", async () => {
    const { at, entries } = await filledWith(
      "'s:' || i || ':filled', iif(i < 29950, 'many', 'few'), ?1 - iif(i < 29950, i % 7, 9), NULL",
    );
    expect(await timeOf(entries, "m:filled:many")).toBe(at);
    expect(await timeOf(entries, "s:1:filled")).toBeUndefined();
    expect(await timeOf(entries, "s:29950:filled")).toBe(at - 9);
    expect(await timeOf(entries, "m:filled:few")).toBeUndefined();
    expect(await timeOf(entries, "t:filled")).toBeUndefined();
  });

  test("names a tenant instead of more than 500 keys, and no other", async () => {
    const { at, entries } = await filledWith(
      "'m:filled' || min(i / 501, 1) || ':' || min(i, 1000), NULL, ?1 - i % 9, NULL",
    );
    expect(await timeOf(entries, "t:filled0")).toBe(at);
    expect(await timeOf(entries, "m:filled0:0")).toBeUndefined();
    expect(await timeOf(entries, "t:filled1")).toBeUndefined();
    expect(await timeOf(entries, "m:filled1:501")).toBe(at - (501 % 9));
  });

  test("names the tenants of 30,000 users who are deleted at once, and leaves everybody else alone", async () => {
    const { at, entries } = await filledWith(
      "'u:filled' || i, NULL, ?1 - i % 9, json_array('of-filled' || (i % 3), 'both')",
    );
    expect([entries.has("*"), entries.size < 20_000]).toEqual([false, true]);
    for (const tenant of ["of-filled0", "of-filled1", "of-filled2", "both"]) {
      expect([tenant, await timeOf(entries, `t:${tenant}`)]).toEqual([tenant, expect.any(Number)]);
    }
    expect(await timeOf(entries, "t:both")).toBe(at);
    expect(await timeOf(entries, "u:filled1")).toBeUndefined();
  });

  test("names users one by one while the list has room, whatever tenants they were in", async () => {
    const { entries } = await filledWith("'u:filled' || min(i, 15000), NULL, ?1, json_array('roomy')");
    expect([await timeOf(entries, "u:filled1"), await timeOf(entries, "t:roomy")]).toEqual([
      expect.any(Number),
      undefined,
    ]);
  });

  test("names every token once 30,000 users go of whom no tenant is known", async () => {
    const { entries } = await filledWith("'u:filled' || i, NULL, ?1, NULL");
    expect([...entries.keys()]).toEqual(["*"]);
  });

  test("one row stands for a tenant that 30,000 leave, and who leaves after it is named", async () => {
    const at = Math.ceil(Date.now() / 1000);
    const count = () =>
      env.DB.prepare("SELECT count(*) AS n FROM revocations WHERE instr(key, 'crowd') AND key <> 's:p:crowd'").first(
        "n",
      );
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29999)
        INSERT INTO revocations (key, at) SELECT 'm:crowd:' || i, ?1 - i % 9 FROM n
          UNION ALL SELECT 's:p:crowd', ?1 - 5`,
    )
      .bind(at)
      .run();
    const leaveLate = () =>
      env.DB.prepare("INSERT INTO revocations (key, at) VALUES ('m:crowd:late', ?)")
        .bind(at + 20)
        .run();
    // Isolates read at once, while somebody leaves.
    const deps = await createDeps(env, createExecutionContext());
    const read = async () => {
      const found = await readRevocations(deps, at - 900, { mostOfTenant: 500, limit: 20_001 });
      const crowd = largestCrowd(found);
      if (crowd) await foldTenant(deps, crowd, at - 900);
    };
    await Promise.all([...Array.from({ length: 10 }, read), leaveLate()]);
    for (let turns = 0; turns < 4; turns += 1) await read();
    expect(await count()).toBeLessThan(1_001);
    const { results } = await env.DB.prepare(
      "SELECT key, at FROM revocations WHERE key >= 't:crowd' AND key < 't:crowe'",
    ).all<Revocation>();
    const coveredUntil = Math.max(...results.map((row) => row.at));
    expect(coveredUntil).toBeGreaterThanOrEqual(at);
    const found = new Map(
      (await readRevocations(deps, at - 900, { mostOfTenant: 500, limit: 20_001 })).map((row) => [row.key, row.at]),
    );
    expect(Math.max(found.get("m:crowd:late") ?? 0, found.get("t:crowd") ?? 0)).toBe(at + 20);
    // Introspection asks for the key of a program's token alone.
    expect(await env.DB.prepare("SELECT at FROM revocations WHERE key = 's:p:crowd'").first("at")).toBe(at - 5);
    await env.DB.prepare("DELETE FROM revocations WHERE instr(key, 'crowd')").run();
  });

  test("names the tenants with the most keys when there are too many, and no others", async () => {
    const { at, entries } = await filledWith(
      "iif(i < 3, 'm:filled:' || i, 'm:filled' || (i % 75) || ':' || i), NULL, ?1, NULL",
    );
    expect(entries.has("*")).toBe(false);
    expect(await timeOf(entries, "t:filled7")).toBe(at);
    expect(await timeOf(entries, "m:filled:2")).toBe(at);
    expect(await timeOf(entries, "t:filled")).toBeUndefined();
  });

  test("revokes every token up to the newest entry when there are more than 20,000", async () => {
    const at = Math.ceil(Date.now() / 1000);
    const fill = (count: number) =>
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT OR IGNORE INTO revocations (at, key) SELECT ?2, 'filled:' || i FROM n`,
      ).bind(count, at);
    const clear = env.DB.prepare("DELETE FROM revocations WHERE key LIKE 'filled:%'");
    await fill(20_001).run();
    // Further than the test before has turned the clock: what was read within a second, before or after, is not read
    // again.
    later(60_000);
    const { revoked } = await listed().finally(() => clear.run());
    expect(revoked).toHaveLength(1);
    expect(revoked[0]?.[0]).toBe("*");
    expect(revoked[0]?.[1]).toBeGreaterThanOrEqual(at);
    later(1500);
    expect((await listed()).revoked.some(([prefix]) => prefix === "*")).toBe(false);
  });
});
