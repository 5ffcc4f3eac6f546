/**
 * Whom a directory deactivates is out at once here, and within five seconds where a service verifies tokens itself: one
 * person, and the last of 5,000 who leave in a minute. The clock is turned; nothing waits.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { readRevocations } from "../../src/identity/tokens/revocations-store";
import { createSessionVerifier, SessionError } from "../../src/sdk/session";
import { call, type Person, signUpVerified } from "../support/client";
import { newPortalLink, newPortalToken, portal } from "../support/portal";
import { bring, type Directory, deactivate, newDirectory, patch } from "../support/scim";
import { serviceFetch } from "../support/sdk";
import { seedPeople } from "../support/seeded-directory";
import { memberOf, signOnAs, wordOf } from "../support/signed-on";

const LEAVING = 5_000;
const KNOWN_WITHIN_MS = 5_000;
const MOST_ROWS_OF_TENANT = 1_000;

afterAll(() => {
  vi.useRealTimers();
});

/** From test to test the clock goes on: what was read at a later time would count as fresh if it went back. */
const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const sessions = createSessionVerifier({
  issuer: "https://postern.test",
  audience: "postern",
  fetch: serviceFetch,
  now: () => Date.now(),
});
const verdict = (token: string): Promise<string> =>
  sessions.verify(token).then(
    () => "accepted",
    (error: unknown) => (error instanceof SessionError ? error.reason : String(error)),
  );

let directory: Directory;

beforeAll(async () => {
  directory = await newDirectory({ roles: { default: "developer", rules: [], when: "every" } });
});

/** Somebody who has signed on, and whom the directory has as `id`. */
async function newMember(): Promise<Person & { id: string }> {
  const word = wordOf(directory.connection, { role: { role: "developer", rule: null } });
  const person = await signOnAs(word);
  const { id } = await bring(directory, { externalId: word.subject, emails: [{ value: word.email }] });
  return { ...person, id };
}

/** Asks with something that a member has made; returns whether it is let in. */
type Way = (member: Person) => Promise<() => Promise<boolean>>;
const asking =
  (token: string, path = "/webhooks") =>
  async () =>
    (await call("GET", path, { token })).status === 200;

test.each<[string, Way]>([
  ["session", async ({ token }) => asking(token)],
  [
    "API key",
    async ({ token }) => {
      const { body } = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } });
      return asking(body.data.key);
    },
  ],
  ["portal token", async ({ token }) => asking((await newPortalToken(token)).token)],
  [
    "portal link",
    async ({ token }) => {
      // A link opens once.
      const links = [await newPortalLink(token), await newPortalLink(token), await newPortalLink(token)];
      return async () =>
        (await portal("POST", "/open", { fields: { token: links.pop()?.token ?? "" } })).status === 303;
    },
  ],
  [
    "token before `postern/session`",
    async ({ token }) =>
      async () =>
        (await verdict(token)) === "accepted",
  ],
])("the %s of somebody who leaves lets nobody in five seconds later, nor once they are back", async (_, way) => {
  const member = await newMember();
  const isIn = await way(member);
  expect(await isIn()).toBe(true);
  expect((await deactivate(directory, member.id)).status).toBe(200);
  later(KNOWN_WITHIN_MS);
  expect(await isIn()).toBe(false);
  const again = await call("POST", "/auth/refresh", { body: { refreshToken: member.refreshToken } });
  expect(again.status).toBe(401);
  await patch(directory, member.id, { op: "replace", path: "active", value: true });
  expect(await memberOf(directory.connection.tenantId, member.userId)).toMatchObject({ role: "developer" });
  expect(await isIn()).toBe(false);
});

/**
 * What the others' deactivations write is written by SQL, a row each over the last minute: by requests they would take
 * 20 seconds.
 */
test("of 5,000 who leave in a minute the last is refused, nobody of another tenant, and who stays comes back", async () => {
  const { tenantId } = directory.connection;
  const [first, last, stayer] = [await newMember(), await newMember(), await newMember()];
  const stranger = await signUpVerified();
  const tokens = [first, last, stayer, stranger].map(({ token }) => token);
  expect(await Promise.all(tokens.map(verdict))).toEqual(Array(4).fill("accepted"));
  await seedPeople(directory, LEAVING);
  await deactivate(directory, first.id);
  const second = Math.ceil(Date.now() / 1000);
  const gone = env.DB.prepare(`INSERT INTO revocations (at, key)
    SELECT ?2 - row_number() OVER () % 60, 'm:' || tenant_id || ':' || user_id FROM memberships
    WHERE tenant_id = ?1 AND user_id LIKE '00000001-%'`);
  await gone.bind(tenantId, second).run();
  await deactivate(directory, last.id);
  later(KNOWN_WITHIN_MS);
  expect(await Promise.all(tokens.map(verdict))).toEqual(["REVOKED", "REVOKED", "REVOKED", "accepted"]);
  const { body } = await call("POST", "/auth/refresh", { body: { refreshToken: stayer.refreshToken } });
  expect(await verdict(body.data.accessToken)).toBe("accepted");
  await expectFewRevocations(tenantId, second);
});

/** The list names the tenant and not its 5,000 people, and one row stands for theirs. */
async function expectFewRevocations(tenantId: string, second: number): Promise<void> {
  const answer = await serviceFetch("http://postern.test/.well-known/revoked", {});
  const { revoked } = decodeJwt<{ revoked: [prefix: string, at: number][] }>(await answer.text());
  expect(revoked.length).toBeLessThan(50);
  expect(revoked.map(([prefix]) => prefix)).not.toContain("*");
  const deps = await createDeps(env, createExecutionContext());
  const listed = await readRevocations(deps, second - 900, { mostOfTenant: 500, limit: 100 });
  expect(listed.map(({ key }) => key)).toContain(`t:${tenantId}`);
  const rows = env.DB.prepare("SELECT count(*) AS n FROM revocations WHERE instr(key, ?) > 0").bind(tenantId);
  expect(await rows.first("n")).toBeLessThanOrEqual(MOST_ROWS_OF_TENANT);
}
