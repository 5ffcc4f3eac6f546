/** What a provider's logout tokens end (OpenID Connect Back-Channel Logout 1.0), and which are refused. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import worker from "../../src";
import { readLogoutClaims } from "../../src/sign-on/logout/claims";
import { SignOnRefused } from "../../src/sign-on/refused";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { call, logIn, type Person } from "../support/client";
import { countedEnv, rowsRead } from "../support/cost";
import { ISSUER, logoutClaims, logoutToken, sendLogout } from "../support/sign-on";
import { type Connection, one, signedOnMember, signOnAs, wordOf } from "../support/signed-on";

const NOW = 1_800_000_000;
const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
const GOOD = { iss: ISSUER, aud: "app", iat: NOW, exp: NOW + 120, jti: "j", sid: "s", sub: "ada", events: EVENTS };

function reasonOf(claims: object): string | null {
  try {
    readLogoutClaims({ ...GOOD, ...claims }, { issuer: ISSUER, clientId: "app", subjectClaim: "sub" }, NOW * 1000);
    return null;
  } catch (error) {
    if (error instanceof SignOnRefused) return error.reason;
    throw error;
  }
}

test.each<[string, object, string | null]>([
  ["a session and a person", {}, null],
  ["a session alone", { sub: undefined }, null],
  ["a person alone", { sid: undefined }, null],
  ["neither", { sid: undefined, sub: undefined }, "not_logout_token"],
  ["a session that is no text", { sid: 1 }, "not_logout_token"],
  ["an empty session", { sid: "" }, "not_logout_token"],
  ["a session of 256 characters", { sid: "s".repeat(256) }, "not_logout_token"],
  ["another issuer", { iss: `${ISSUER}/` }, "issuer"],
  ["no issuer", { iss: undefined }, "issuer"],
  ["another app", { aud: "other" }, "audience"],
  ["no app", { aud: undefined }, "audience"],
  ["several apps, ours among them", { aud: ["other", "app"] }, null],
  ["a nonce", { nonce: "n" }, "not_logout_token"],
  ["no events", { events: undefined }, "not_logout_token"],
  ["another event", { events: { other: {} } }, "not_logout_token"],
  ["the event as a text", { events: Object.keys(EVENTS)[0] }, "not_logout_token"],
  ["no jti", { jti: undefined }, "not_logout_token"],
  ["an end 60 seconds ago", { exp: NOW - 60 }, null],
  ["an end 61 seconds ago", { exp: NOW - 61 }, "expired"],
  ["no end", { exp: undefined }, "expired"],
  ["made in 60 seconds", { iat: NOW + 60 }, null],
  ["made in 61 seconds", { iat: NOW + 61 }, "clock_skew"],
  ["made 660 seconds ago", { iat: NOW - 660 }, null],
  ["made 661 seconds ago", { iat: NOW - 661 }, "clock_skew"],
  ["made at no time", { iat: undefined }, "clock_skew"],
])("a logout token with %s", (_, claims, reason) => {
  expect(reasonOf(claims)).toBe(reason);
});

let connection: Connection;
let word: SignedOn;
let owner: Person;
beforeAll(async () => {
  ({ connection, word, owner } = await signedOnMember());
});

const isIn = async ({ token }: Person) => (await call("GET", "/auth/me", { token })).status === 200;
const signOnFrom = (sid: string | null) => signOnAs({ ...word, sid });
const newSid = () => crypto.randomUUID();

test("a sign-out there ends the sessions of that session, else of the person, and no others", async () => {
  const [sid, other] = [newSid(), newSid()];
  const people = [await signOnFrom(sid), await signOnFrom(other)];
  const own = await logIn(owner);
  expect((await sendLogout(connection.id, await logoutToken({ sid }))).status).toBe(200);
  expect(await Promise.all(people.map(isIn))).toEqual([false, true]);
  const answer = await sendLogout(connection.id, await logoutToken({ sub: word.subject }));
  expect([answer.status, answer.body, answer.headers.get("cache-control")]).toEqual([200, undefined, "no-store"]);
  expect(await Promise.all([...people, own].map(isIn))).toEqual([false, false, true]);
  expect(await one("SELECT 1 AS found FROM revocations WHERE key LIKE ?", `s:%:${connection.tenantId}`)).not.toBeNull();
  const { body } = await call("GET", "/audit?action=session.revoked", { token: owner.token });
  expect(body.data[0]).toMatchObject({ actor: { kind: "connection", id: connection.id, name: "Acme" } });
});

test("a sign-out of one connection ends no session of another with the same issuer, client and subject", async () => {
  const theirs = await signedOnMember();
  const person = await signOnAs(wordOf(theirs.connection, { subject: word.subject, sid: "same" }));
  for (const claims of [{ sid: "same" }, { sub: word.subject }]) {
    expect((await sendLogout(connection.id, await logoutToken(claims))).status).toBe(200);
  }
  expect(await isIn(person)).toBe(true);
});

test("a token counts once, however often it is sent at once", async () => {
  const token = await logoutToken({ sid: newSid() });
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendLogout(connection.id, token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
  const later = await sendLogout(connection.id, token);
  expect([later.status, later.body]).toEqual([400, { error: "invalid_request" }]);
  const traces = await call("GET", `/tenant/connections/${connection.id}/traces`, { token: owner.token });
  expect(traces.body.data[0]).toMatchObject({ kind: "logout", outcome: "refused", reason: "replay" });
});

test.each<[string, Parameters<typeof logoutToken>[1]]>([
  ["is signed by another key", { signedBy: "foreign" }],
  ["is signed by nobody", { signedBy: "nobody", header: { alg: "none" } }],
  ["is signed with the client's secret", { signedBy: "the secret", header: { alg: "HS256" } }],
  ["is an access token", { header: { typ: "at+jwt" } }],
])("a token that %s ends nothing, and leaves no trace", async (_, script) => {
  const sid = newSid();
  const person = await signOnFrom(sid);
  const count = () => one("SELECT count(*) AS n FROM sign_on_traces WHERE connection_id = ?", connection.id);
  const before = await count();
  const { status, body } = await sendLogout(connection.id, await logoutToken({ sid }, script));
  expect([status, body, await isIn(person), await count()]).toEqual([400, { error: "invalid_request" }, true, before]);
});

test("an ID token, no form, two tokens, none and an unknown connection are refused", async () => {
  const { events: _, ...idToken } = logoutClaims({ sub: word.subject, nonce: "n" });
  const good = await logoutToken({ sid: newSid() });
  const path = `/auth/sign-on/${connection.id}/logout`;
  const answers = [
    await sendLogout(connection.id, await logoutToken(idToken)),
    await call("POST", path, { body: { logout_token: good } }),
    await sendLogout(connection.id, `${good}&logout_token=${good}`),
    await sendLogout(connection.id, ""),
    await sendLogout(crypto.randomUUID(), good),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
});

test("ending s sessions takes two trips, 8 + 9 s rows read and 2 + 5 s rows written at most", async () => {
  const own = await signedOnMember();
  // The contract wants 5 + 4 s rows read, but the audit log, the revocations and the removal each look the sessions up.
  // Each of these searches by an index also reads the row behind what it finds: here that of somebody later.
  await signedOnMember();
  const costOf = async (claims: Record<string, unknown>) => {
    const token = await logoutToken(claims);
    const { counted, cost } = countedEnv();
    rowsRead.count = 0;
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>(
      `http://postern.test/api/v1/auth/sign-on/${own.connection.id}/logout`,
      { method: "POST", body: new URLSearchParams({ logout_token: token }) },
    );
    expect((await worker.fetch(request, counted, context)).status).toBe(200);
    await waitOnExecutionContext(context);
    return { ...cost, rowsRead: rowsRead.count };
  };
  // Keys of the provider are read before.
  await costOf({ sid: newSid() });
  for (const claims of [{ sid: "counted" }, { sub: own.word.subject }]) {
    for (let made = 0; made < 3; made += 1) await signOnAs({ ...own.word, sid: "counted" });
    // Signing on for the first time has opened one, which the provider named no session for.
    const ended = "sid" in claims ? 3 : 4;
    const cost = await costOf(claims);
    expect(cost.trips).toBe(2);
    expect(cost.rowsRead).toBeLessThanOrEqual(8 + 9 * ended);
    expect(cost.rowsWritten).toBeLessThanOrEqual(2 + 5 * ended);
  }
});
