/**
 * Telling apps of sign-ins that end (OpenID Connect Back-Channel Logout 1.0), named after the modules of the
 * certification. The receiver is a Worker of its own, and verifies with a library of the field.
 */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { logoutBody } from "../../src/webhooks/delivery/logout-token";
import {
  type App,
  CALLBACK,
  clientsKey,
  discover,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  postTo,
  proofOf,
  rowsOf,
} from "../support/apps";
import { call, eventually, PASSWORD, type Person, signUpVerified } from "../support/client";
import { consumeBatch, type Key } from "../support/engine";
import { must, resetTokenOf } from "../support/insider";
import { operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox } from "../support/receiver";
import { NEW_PASSWORD } from "../support/ways-inside";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const inbox = newInbox("200");
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp({ backchannelLogoutUrl: inbox.url }), await signUpVerified()];
});

const keySet = async () => {
  const response = await exports.default.fetch(new Request(`${ISSUER}/.well-known/jwks.json`));
  return createLocalJWKSet(await response.json());
};

/** What is on its way to an app of a sign-in. */
const told = (sid: unknown) =>
  rowsOf(
    `SELECT o.id, s.url FROM events e JOIN outbox o ON o.event_id = e.id
        JOIN subscriptions s ON s.id = o.subscription_id
      WHERE e.type = 'postern.logout' AND e.payload ->> '$.sid' = ?
      UNION SELECT a.id, s.url FROM events e JOIN subscriptions s JOIN attempts a ON a.subscription_id = s.id
        AND a.event_id = e.id WHERE e.type = 'postern.logout' AND e.payload ->> '$.sid' = ?1`,
    String(sid),
  );

const change = async (id: string, body: object) =>
  call("PATCH", `/platform/clients/${id}`, { token: await clientsKey(), body });

test("oidcc-backchannel-logout-discovery-endpoint-verification", async () => {
  expect(await discover()).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  });
});

test("oidcc-backchannel-rp-initiated-logout: a signed token names the sign-in, and one empty event", async () => {
  const { browser, tokens, claims } = await finished(app, person);
  await browser.open(`/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.id_token ?? "" })}`);
  const [request] = await inbox.arrived(1);
  expect([request?.method, request?.headers["content-type"]]).toEqual(["POST", "application/x-www-form-urlencoded"]);
  const [[name, token = ""] = [], ...others] = [...new URLSearchParams(request?.body)];
  const checks = { issuer: ISSUER, audience: app.id, typ: "logout+jwt", algorithms: ["RS256"] };
  const { payload } = await jwtVerify(token, await keySet(), checks);
  const { iat = 0 } = payload;
  expect([name, others, payload]).toEqual([
    "logout_token",
    [],
    {
      iss: ISSUER,
      aud: app.id,
      iat: expect.any(Number),
      exp: iat + 120,
      jti: expect.any(String),
      sid: claims["sid"],
      events: { [EVENT]: {} },
    },
  ]);
});

test("each attempt is signed anew, and has the same jti", async () => {
  const deps = await createDeps(env, createExecutionContext());
  const event = { eventId: "e", payload: JSON.stringify({ clientId: app.id, sid: "s", alg: "ES256" }) };
  const tokens = [];
  for (const at of [1_000_000, 2_000_000]) tokens.push((await logoutBody(deps, event, at)).body.replace(/^\w+=/, ""));
  const [first, second] = tokens.map((token) => decodeJwt(token));
  expect([first?.jti, first?.iat, second?.iat]).toEqual([second?.jti, 1_000, 2_000]);
});

const run = async (sql: string, ...values: string[]) => {
  for (const one of sql.split(";"))
    await env.DB.prepare(one)
      .bind(...values)
      .run();
};

describe("an app is told once of a sign-in that ends", () => {
  test.each<[how: string, end: (by: Person, signIn: Awaited<ReturnType<typeof finished>>) => Promise<unknown>]>([
    ["by signing out everywhere", ({ token }) => call("POST", "/auth/logout-all", { token })],
    [
      "with the password",
      ({ token }) =>
        call("POST", "/auth/change-password", {
          token,
          body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
        }),
    ],
    [
      "by disconnecting the app",
      ({ token, tenantId }) => call("DELETE", `/auth/apps/${app.id}.${tenantId}`, { token }),
    ],
    [
      "because the app gives its token back",
      (_by, { tokens }) => postTo("/oauth/revoke", { ...proofOf(app), token: tokens.access_token }),
    ],
    [
      "with the account",
      ({ token }) => call("DELETE", "/auth/me", { token, body: { password: PASSWORD, deleteTenants: true } }),
    ],
    [
      "by resetting the password",
      async ({ email }) =>
        must("POST", "/auth/reset-password", undefined, {
          token: await resetTokenOf(email),
          newPassword: NEW_PASSWORD,
        }),
    ],
    [
      "because the person is suspended",
      async ({ userId }) =>
        must("POST", `/operator/people/${userId}/suspend`, (await operator()).token, { reason: "x" }),
    ],
    [
      "because the person is deleted",
      async ({ userId }) =>
        must("DELETE", `/platform/users/${userId}`, (await newPlatformKey()).key, { deleteTenants: true }),
    ],
    ["with the membership", ({ userId }) => run("DELETE FROM oauth_grants WHERE user_id = ?", userId)],
  ])("%s", async (_how, end) => {
    const by = await signUpVerified();
    const signIn = await finished(app, by);
    await end(by, signIn);
    expect(await told(signIn.claims["sid"])).toEqual([{ id: expect.any(String), url: inbox.url }]);
  });

  test("and not of one whose session has expired, nor while the client is disabled", async () => {
    const [expired, disabled] = [await finished(app, person), await newApp({ backchannelLogoutUrl: inbox.url })];
    const session = "(SELECT session_id FROM oauth_grants WHERE id = ?1)";
    await run(
      `UPDATE sessions SET expires_at = 1 WHERE id = ${session};DELETE FROM sessions WHERE id = ${session}`,
      String(expired.claims["sid"]),
    );
    expect(await rowsOf("SELECT 1 FROM oauth_grants WHERE id = ?", String(expired.claims["sid"]))).toEqual([]);
    const there = await finished(disabled, person);
    await change(disabled.id, { enabled: false });
    await run("DELETE FROM oauth_grants WHERE id = ?", String(there.claims["sid"]));
    expect([await told(expired.claims["sid"]), await told(there.claims["sid"])]).toEqual([[], []]);
  });

  test("also of 200 that end in one statement", async () => {
    const { claims } = await finished(app, person);
    const many = await newApp({ backchannelLogoutUrl: inbox.url });
    await env.DB.prepare(
      `INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at)
        SELECT substr(g.id, 1, 14) || printf('7%03x-8%03x-%012x', value, value, value), g.user_id, ?, g.tenant_id,
          'many-' || value, 1, 1
        FROM oauth_grants g, (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 200)
          SELECT value FROM n) WHERE g.id = ?`,
    )
      .bind(many.id, String(claims["sid"]))
      .run();
    await run("DELETE FROM oauth_grants WHERE client_id = ?", many.id);
    const webhook = "(SELECT logout_webhook_id FROM oauth_clients WHERE id = ?)";
    const owed = `SELECT 1 FROM outbox WHERE subscription_id = ${webhook}`;
    expect(await rowsOf(owed, many.id)).toHaveLength(200);
    await call("DELETE", `/platform/clients/${many.id}`, { token: await clientsKey() });
  });
});

describe("a call to an app", () => {
  /** What is owed to an app, once it was tried. */
  const owed = ({ id }: App) =>
    eventually("a call that was tried", async () => {
      const [row] = await rowsOf(
        `SELECT id, queue, due_at AS dueAt, subscription_id AS subscriptionId, bytes FROM outbox
          WHERE attempts = 1 AND subscription_id = (SELECT logout_webhook_id FROM oauth_clients WHERE id = ?)`,
        id,
      );
      return row as unknown as Key | undefined;
    });

  test("that fails is made again by the schedule, with a token of its own and the same jti", async () => {
    const failing = newInbox("fail-1");
    const own = await newApp({ backchannelLogoutUrl: failing.url });
    const { browser, tokens } = await finished(own, person);
    const before = Date.now();
    await browser.open(`/oauth/logout?${new URLSearchParams({ id_token_hint: tokens.id_token ?? "" })}`);
    const waiting = await owed(own);
    expect(waiting.dueAt).toBeGreaterThan(before + 1_000);
    await run("UPDATE outbox SET due_at = 1 WHERE id = ?", waiting.id);
    await consumeBatch([{ shard: 0, due: [{ ...waiting, dueAt: 1 }] }]);
    const sent = (await failing.arrived(2)).map(({ body }) => new URLSearchParams(body).get("logout_token") ?? "");
    const [first, second] = sent.map((token) => decodeJwt(token));
    expect([sent.length, first?.jti, first?.["sid"]]).toEqual([2, second?.jti, second?.["sid"]]);
    expect(await rowsOf("SELECT 1 FROM outbox WHERE id = ?", waiting.id)).toEqual([]);
  });

  test("goes to no private address: neither a new URL, nor one that is stored", async () => {
    const url = "http://10.1.2.3/logout";
    const open = { WEBHOOK_EGRESS: "public" };
    const body = { name: "Shop", redirectUrls: [CALLBACK], backchannelLogoutUrl: url };
    const refused = await callUnder(open, { path: "/api/v1/platform/clients", body, token: await clientsKey() });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, "backchannelLogoutUrl"]);
    const own = await newApp({ backchannelLogoutUrl: url });
    const { claims } = await finished(own, person);
    await run("DELETE FROM oauth_grants WHERE id = ?", String(claims["sid"]));
    const [key] = await rowsOf(
      `SELECT id, queue, due_at AS dueAt, subscription_id AS subscriptionId, bytes FROM outbox
        WHERE subscription_id = (SELECT logout_webhook_id FROM oauth_clients WHERE id = ?)`,
      own.id,
    );
    await consumeBatch([{ shard: 0, due: [key] }], undefined, open as object);
    expect(
      await rowsOf("SELECT error FROM attempts WHERE subscription_id = ?", String(key?.["subscriptionId"])),
    ).toEqual([{ error: "blocked address: Must not point to a private or reserved address" }]);
  });
});

describe("the URL of an app", () => {
  test("follows the client, and its subscription is nobody's to see or change", async () => {
    const own = await newApp();
    const end = async () => {
      const { claims } = await finished(own, person);
      await run("DELETE FROM oauth_grants WHERE id = ?", String(claims["sid"]));
      return (await told(claims["sid"])).map(({ url }) => url);
    };
    expect(await end()).toEqual([]);
    for (const url of ["http://receiver.example/200/one", "http://receiver.example/200/two"]) {
      expect((await change(own.id, { backchannelLogoutUrl: url })).body.data.backchannelLogoutUrl).toBe(url);
      expect(await end()).toEqual([url]);
    }
    const hidden = "SELECT id FROM subscriptions WHERE url LIKE '%/200/two' AND is_deleted = 0";
    const [webhook] = await rowsOf(hidden);
    const product = (await newPlatformKey()).key;
    const inPlatform = (path: string) => callAs(product, "platform", "GET", `/webhooks${path}`);
    const listed = (await inPlatform("")).body.data.map(({ _id }: { _id: string }) => _id);
    expect([listed.includes(webhook?.["id"]), (await inPlatform(`/${webhook?.["id"]}`)).status]).toEqual([false, 404]);
    await change(own.id, { backchannelLogoutUrl: null });
    expect([await end(), await rowsOf(hidden)]).toEqual([[], []]);
  });

  test.each(["ftp://a.example", "https://user@a.example/", "abc", ""])("is refused if it is %j", async (url) => {
    const { status, body } = await change(app.id, { backchannelLogoutUrl: url });
    expect([status, body.details[0].path]).toEqual([400, "backchannelLogoutUrl"]);
  });
});
