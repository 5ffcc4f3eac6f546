/** The list of revoked tokens: who writes what into it, and how it is served. */
import { env } from "cloudflare:workers";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { expectDocumented } from "../support/contract";
import { mailTo, tokenIn } from "../support/mailbox";
import { operate, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import { serviceFetch } from "../support/sdk";
import { enrol } from "../support/two-factor";

afterEach(() => {
  vi.useRealTimers();
});

interface Claims {
  sid: string;
  tid: string;
  sub: string;
  iat: number;
}
const claimsOf = ({ token }: Pick<Person, "token">) => decodeJwt(token) as unknown as Claims;
const sessionKey = (person: Pick<Person, "token">) => `s:${claimsOf(person).sid}:${claimsOf(person).tid}`;
const userKey = ({ userId }: Person) => `u:${userId}`;
const memberKey = ({ tenantId, userId }: Person) => `m:${tenantId}:${userId}`;
const tenantKey = ({ tenantId }: Person) => `t:${tenantId}`;

/** The revocations that say something about these people. */
async function revokedOf(...people: Person[]): Promise<string[]> {
  const ids = people.flatMap((person) => [person.userId, person.tenantId, claimsOf(person).sid]);
  const { results } = await env.DB.prepare("SELECT DISTINCT key FROM revocations ORDER BY key").all<{ key: string }>();
  return results.map(({ key }) => key).filter((key) => ids.some((id) => key.includes(id)));
}

const refresh = (refreshToken: string) => call("POST", "/auth/refresh", { body: { refreshToken } });
const own = (person: Person, method: string, path: string, body?: unknown) =>
  call(method, path, { token: person.token, ...(body === undefined ? {} : { body }) });

interface Way {
  /** Who is there, the one that acts first. */
  people?: () => Promise<Person[]>;
  act: (first: Person, second: Person) => Promise<{ status: number }>;
  writes: (first: Person, second: Person) => string[];
}

const alone = async () => [await signUpVerified()];
/** A person with two sessions. */
const twice = async () => {
  const person = await signUpVerified();
  return [person, await logIn(person)];
};
const withMember = async () => {
  const owner = await signUpVerified();
  return [owner, await joinTenant(owner, "developer")];
};
const withOperator = async () => [await operator(), await signUpVerified()];
const suspend = { reason: "a test" };

const WAYS: Record<string, Way> = {
  "a logout": {
    act: (person) => call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } }),
    writes: (person) => [sessionKey(person)],
  },
  "a revoked session": {
    people: twice,
    act: (person, other) => own(person, "DELETE", `/auth/sessions/${claimsOf(other).sid}`),
    writes: (_person, other) => [sessionKey(other)],
  },
  "a logout from all devices": {
    people: twice,
    act: (person) => own(person, "POST", "/auth/logout-all"),
    writes: (person, other) => [sessionKey(person), sessionKey(other)],
  },
  "a refresh token that is used again": {
    act: async (person) => {
      const second = await refresh(person.refreshToken);
      await refresh(second.body.data.refreshToken);
      const { status } = await refresh(person.refreshToken);
      return { status: status === 401 ? 200 : status };
    },
    writes: (person) => [sessionKey(person)],
  },
  "the cap of sessions": {
    act: ({ email }) =>
      callUnder({ MAX_SESSIONS_PER_USER: "1" }, { path: "/api/v1/auth/login", body: { email, password: PASSWORD } }),
    writes: (person) => [sessionKey(person)],
  },
  "a new password": {
    people: twice,
    act: (person) =>
      own(person, "POST", "/auth/change-password", { currentPassword: PASSWORD, newPassword: "another pass phrase" }),
    writes: (_person, other) => [sessionKey(other)],
  },
  "a password reset": {
    people: twice,
    act: (person) => reset(person),
    writes: (person, other) => [sessionKey(person), sessionKey(other)],
  },
  "a take-over by a password reset": {
    people: async () => [await signUp()],
    act: (person) => reset(person),
    writes: (person) => [sessionKey(person)],
  },
  "two-factor authentication that is turned on": {
    people: twice,
    act: async (person) => {
      await enrol(person);
      return { status: 200 };
    },
    writes: (_person, other) => [sessionKey(other)],
  },
  '"this was not me"': {
    act: async (person) => {
      const change = { currentPassword: PASSWORD, newPassword: "another pass phrase" };
      await own(person, "POST", "/auth/change-password", change);
      const token = tokenIn(await mailTo(person.email, /password was changed/i));
      return call("POST", "/auth/not-me", { body: { token } });
    },
    writes: (person) => [sessionKey(person)],
  },
  "a switch to another tenant": {
    act: async (person) => {
      const host = await signUp();
      await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
        .bind(host.tenantId, person.userId)
        .run();
      return own(person, "POST", "/auth/switch-tenant", { tenantId: host.tenantId });
    },
    writes: (person) => [sessionKey(person)],
  },
  "another role": {
    people: withMember,
    act: (owner, member) => own(owner, "PATCH", `/members/${member.userId}`, { role: "viewer" }),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a removed member": {
    people: withMember,
    act: (owner, member) => own(owner, "DELETE", `/members/${member.userId}`),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a member who leaves": {
    people: withMember,
    act: (_owner, member) => own(member, "DELETE", "/members/me"),
    writes: (_owner, member) => [memberKey(member)],
  },
  "a suspended person": {
    people: withOperator,
    act: (by, { userId }) => operate(by, "POST", `/people/${userId}/suspend`, suspend),
    writes: (_by, person) => [userKey(person)],
  },
  "sessions that an operator ends": {
    people: withOperator,
    act: (by, { userId }) => operate(by, "POST", `/people/${userId}/sessions/revoke`),
    writes: (_by, person) => [sessionKey(person)],
  },
  "a suspended tenant": {
    people: withOperator,
    act: (by, { tenantId }) => operate(by, "POST", `/tenants/${tenantId}/suspend`, suspend),
    writes: (_by, person) => [tenantKey(person)],
  },
  "a deleted account": {
    people: withMember,
    act: (_owner, member) => own(member, "DELETE", "/auth/me", { password: PASSWORD }),
    writes: (_owner, member) => [userKey(member)],
  },
  "a deleted tenant": {
    people: withMember,
    act: (owner) => own(owner, "DELETE", "/tenant", { password: PASSWORD }),
    writes: (owner) => [tenantKey(owner)],
  },
};

async function reset({ email }: Person) {
  await call("POST", "/auth/forgot-password", { body: { email } });
  const token = tokenIn(await mailTo(email, /reset/i));
  return call("POST", "/auth/reset-password", { body: { token, newPassword: "another pass phrase" } });
}

describe("what is written down", () => {
  test.each(Object.entries(WAYS))("%s", async (_name, { people = alone, act, writes }) => {
    const [first, second = first] = (await people()) as [Person, Person?];
    const before = await revokedOf(first, second);
    const { status } = await act(first, second);
    expect(status).toBe(200);
    const written = (await revokedOf(first, second)).filter((key) => !before.includes(key));
    expect(written).toEqual(writes(first, second).sort());
  });

  test("nothing, when nothing changes", async () => {
    const [owner, member] = (await withMember()) as [Person, Person];
    expect((await own(owner, "PATCH", `/members/${owner.userId}`, { role: "viewer" })).status).toBe(409);
    expect((await own(owner, "PATCH", `/members/${member.userId}`, { role: "developer" })).status).toBe(200);
    expect((await own(member, "DELETE", `/members/${owner.userId}`)).status).toBe(403);
    expect((await own(owner, "DELETE", "/members/me")).status).toBe(409);
    const wrong = { currentPassword: "wrong", newPassword: "another pass phrase" };
    expect((await own(owner, "POST", "/auth/change-password", wrong)).status).toBe(401);
    expect((await own(owner, "POST", "/auth/switch-tenant", { tenantId: owner.tenantId })).status).toBe(200);
    expect(await revokedOf(owner, member)).toEqual([]);
  });

  test("nothing about a session whose last token has expired", async () => {
    const [person] = (await alone()) as [Person];
    await env.DB.prepare("UPDATE sessions SET rotated_at = rotated_at - 960001 WHERE user_id = ?")
      .bind(person.userId)
      .run();
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    expect(await revokedOf(person)).toEqual([]);
  });

  test("only one file deletes sessions, and it writes what it revokes", () => {
    const sources = import.meta.glob("/src/**/*.ts", { query: "?raw", import: "default", eager: true });
    const isDeleting = (text: unknown) => /DELETE FROM sessions|delete\(sessions\)/.test(String(text));
    const deleting = Object.entries(sources).filter(([, text]) => isDeleting(text));
    expect(deleting.map(([path]) => path)).toEqual(["/src/identity/tokens/revocations-store.ts"]);
  });

  test("every file that takes a membership or changes a role revokes tokens", () => {
    const sources = import.meta.glob("/src/**/*-store.ts", { query: "?raw", import: "default", eager: true });
    const changes =
      /DELETE FROM (memberships|tenants|users) WHERE|UPDATE memberships SET[^`]*\brole = |SET suspended_at = \$/;
    const silent = Object.entries(sources)
      .filter(([, text]) => changes.test(String(text)))
      .filter(([, text]) => !/revocations-store"/.test(String(text)));
    expect(silent.map(([path]) => path)).toEqual([]);
  });
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

  test("revokes every token up to the newest entry when there are more than 20,000", async () => {
    const at = Math.ceil(Date.now() / 1000);
    const fill = (count: number) =>
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT OR IGNORE INTO revocations (at, key) SELECT ?2, 'filled:' || i FROM n`,
      ).bind(count, at);
    const clear = env.DB.prepare("DELETE FROM revocations WHERE key LIKE 'filled:%'");
    await fill(20_001).run();
    later(1500);
    const { revoked } = await listed();
    await clear.run();
    expect(revoked).toHaveLength(1);
    expect(revoked[0]?.[0]).toBe("*");
    expect(revoked[0]?.[1]).toBeGreaterThanOrEqual(at);
    later(1500);
    expect((await listed()).revoked.some(([prefix]) => prefix === "*")).toBe(false);
  });
});
