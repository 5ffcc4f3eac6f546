/** Offline grants: refresh tokens, what ends them, and what an app is told of its tokens. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  CALLBACK,
  clientsKey,
  finished,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  postTo,
  proofOf,
  rowsOf,
  userinfoOf,
} from "../support/apps";
import { call, newAddress, PASSWORD, type Person, signUpVerified } from "../support/client";
import { must, resetTokenOf } from "../support/insider";
import { mailTo, tokenIn } from "../support/mailbox";
import { operator } from "../support/operators";
import { NEW_PASSWORD } from "../support/ways-inside";

const SCOPE = "openid email offline_access";
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(), await signUpVerified()];
});

/** A person who has connected an app, with its first tokens. */
async function connected(to = app, by: Person = person) {
  const done = await finished(to, by, undefined, { scope: SCOPE });
  return { ...done, refreshToken: done.tokens.refresh_token ?? "", by };
}

const formOf = (to: App, fields: Record<string, string>) => ({ ...proofOf(to), ...fields });
const refresh = (to: App, token: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  postTo("/oauth/token", formOf(to, { grant_type: "refresh_token", refresh_token: token, ...fields }), headers);
const works = async (to: App, token: string) => (await refresh(to, token)).status === 200;

describe("a refresh token", () => {
  test("is given with offline_access alone, and renews what the library checks (oidcc-refresh-token)", async () => {
    expect((await finished(app, person)).tokens.refresh_token).toBeUndefined();
    const { flow, claims, refreshToken } = await connected();
    const { server, client, proof } = flow;
    const response = await oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, HTTP);
    const renewed = await oauth.processRefreshTokenResponse(server, client, response);
    const said = oauth.getValidatedIdTokenClaims(renewed);
    expect(said).toMatchObject({ sub: person.userId, sid: claims["sid"], auth_time: claims.auth_time });
    expect(said?.["nonce"]).toBeUndefined();
    expect(renewed.refresh_token).not.toBe(refreshToken);
    expect((await userinfoOf(flow, renewed.access_token, person.userId)).email).toBe(person.email);
  });

  test("may narrow its scopes, and never widens them", async () => {
    const { refreshToken } = await connected();
    const narrow = await refresh(app, refreshToken, { scope: "openid" });
    expect(narrow.body["scope"]).toBe("openid");
    const wide = await refresh(app, String(narrow.body["refresh_token"]), { scope: "openid tenant" });
    expect([wide.status, wide.body["error"]]).toEqual([400, "invalid_scope"]);
  });

  test("of a client with a secret can be sent again until its successor is used, and then ends the grant", async () => {
    const { refreshToken: first, by } = await connected(app, await signUpVerified());
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, first)));
    const tokens = new Set(answers.map(({ body }) => body["refresh_token"]));
    expect([answers.every(({ status }) => status === 200), tokens.size]).toEqual([true, 1]);
    const [second = ""] = tokens as Set<string>;
    const third = String((await refresh(app, second)).body["refresh_token"]);
    expect((await refresh(app, first)).body["error"]).toBe("invalid_grant");
    expect(await works(app, third)).toBe(false);
    const logged = "SELECT 1 FROM audit_events WHERE action = 'app.refresh_reused' AND tenant_id = ?";
    expect(await rowsOf(logged, by.tenantId)).toHaveLength(1);
  });

  test("of a client without a secret is sent again from the same address alone", async () => {
    const native = await newApp({ type: "native", redirectUrls: [CALLBACK] });
    const here = { "cf-connecting-ip": newAddress(), "user-agent": "app" };
    const { refreshToken } = await connected(native, await signUpVerified());
    const next = await refresh(native, refreshToken, {}, here);
    expect((await refresh(native, refreshToken, {}, here)).body["refresh_token"]).toBe(next.body["refresh_token"]);
    const elsewhere = { "cf-connecting-ip": newAddress(), "user-agent": "other" };
    expect((await refresh(native, refreshToken, {}, elsewhere)).status).toBe(400);
    expect((await refresh(native, String(next.body["refresh_token"]), {}, here)).status).toBe(400);
  });

  test.each<[what: string, change: (token: string) => string]>([
    ["forged", (token) => `${token.slice(0, -4)}AAAA`],
    ["of another generation", (token) => token.replace(/\.1\./, ".2.")],
  ])("that is %s is refused, and ends nothing", async (_what, change) => {
    const { refreshToken } = await connected();
    expect((await refresh(app, change(refreshToken))).body["error"]).toBe("invalid_grant");
    expect(await works(app, refreshToken)).toBe(true);
  });

  test("of one client opens nothing for another", async () => {
    const { refreshToken } = await connected();
    expect((await refresh(await newApp(), refreshToken)).body["error"]).toBe("invalid_grant");
    expect(
      (await refresh({ ...app, secret: "pcs_0000000000000000000000000000000000000000" }, refreshToken)).status,
    ).toBe(401);
  });

  test("is refused, and kept, while something stands against it", async () => {
    const { refreshToken, by } = await connected(app, await signUpVerified());
    const suspend = (at: number | null) =>
      env.DB.prepare("UPDATE tenants SET suspended_at = ? WHERE id = ?").bind(at, by.tenantId).run();
    await suspend(1);
    expect(await works(app, refreshToken)).toBe(false);
    await suspend(null);
    const key = await clientsKey();
    const change = (fields: object) => must("PATCH", `/platform/clients/${app.id}`, key, fields);
    for (const [held, before, error] of [
      [{ enabled: false }, { enabled: true }, "invalid_client"],
      [{ tenants: [person.tenantId] }, { tenants: null }, "invalid_grant"],
      [{ grants: ["authorization_code"] }, { grants: ["authorization_code", "refresh_token"] }, "unauthorized_client"],
    ] as const) {
      await change(held);
      expect((await refresh(app, refreshToken)).body["error"]).toBe(error);
      await change(before);
    }
    expect(await works(app, refreshToken)).toBe(true);
  });

  test("ends when it is not used for idleDays, and the oldest of more than 20", async () => {
    const { refreshToken, by } = await connected(app, await signUpVerified());
    const grants = "SELECT id FROM oauth_grants WHERE user_id = ? AND generation IS NOT NULL ORDER BY created_at, id";
    const [first] = await rowsOf(grants, by.userId);
    await env.DB.prepare(
      `INSERT INTO oauth_grants (id, user_id, client_id, tenant_id, session_id, created_at, issued_at, generation)
       SELECT 'old-' || j.value, g.user_id, g.client_id, g.tenant_id, 'old-' || j.value, j.value, j.value, 1
       FROM oauth_grants g, json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]') j WHERE g.id = ?`,
    )
      .bind(first?.["id"])
      .run();
    await connected(app, by);
    const left = (await rowsOf(grants, by.userId)).map(({ id }) => id);
    expect([left.length, left.includes("old-1"), left.includes("old-2"), left.includes("old-3")]).toEqual([
      20,
      false,
      false,
      true,
    ]);
    await env.DB.prepare("UPDATE oauth_grants SET expires_at = 1 WHERE id = ?").bind(first?.["id"]).run();
    expect(await works(app, refreshToken)).toBe(false);
  });
});

describe("an offline grant", () => {
  let own: App;
  beforeAll(async () => {
    own = await newApp({ consent: "skip" });
  });

  /** Which of the grants go on: that of an app that asks, and that of the operator's own. */
  test.each<[what: string, goOn: [boolean, boolean], event: (by: Person) => Promise<unknown>]>([
    [
      "the session ends",
      [true, true],
      ({ token }) => must("POST", "/auth/logout", undefined, { token }).catch(() => 0),
    ],
    ["the person signs out everywhere", [true, false], ({ token }) => must("POST", "/auth/logout-all", token)],
    [
      "the password is changed",
      [true, false],
      ({ token }) =>
        must("POST", "/auth/change-password", token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    ],
    [
      "the password is reset",
      [false, false],
      async ({ email }) =>
        must("POST", "/auth/reset-password", undefined, {
          token: await resetTokenOf(email),
          newPassword: NEW_PASSWORD,
        }),
    ],
    [
      "the person is suspended",
      [false, false],
      async ({ userId }) =>
        must("POST", `/operator/people/${userId}/suspend`, (await operator()).token, { reason: "x" }),
    ],
    [
      "the client is revoked",
      [false, true],
      async () => must("POST", `/platform/clients/${app.id}/revoke`, await clientsKey()),
    ],
  ])("when %s: goes on as the table says", async (_what, goOn, event) => {
    const by = await signUpVerified();
    const [asking, asked] = [await connected(app, by), await connected(own, by)];
    await event(by);
    expect([await works(app, asking.refreshToken), await works(own, asked.refreshToken)]).toEqual(goOn);
  });

  test("is told by mail the first time, whose link ends it", async () => {
    const by = await signUpVerified();
    const first = await connected(app, by);
    const { refreshToken } = await connected(app, by);
    await connected(own, by);
    const mail = await mailTo(by.email, /is connected/);
    await must("POST", "/auth/not-me", undefined, { token: tokenIn(mail) });
    expect([await works(app, first.refreshToken), await works(app, refreshToken)]).toEqual([false, false]);
    const links = "SELECT 1 FROM email_tokens WHERE subject_id = ? AND action ->> 'kind' = 'app'";
    expect((await rowsOf(links, by.userId)).length).toBeLessThan(2);
  });

  test("ends when its code is shown again by somebody else", async () => {
    const { flow, answered, refreshToken } = await connected();
    const code = answered.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, code_verifier: flow.verifier, redirect_uri: CALLBACK };
    expect((await postTo("/oauth/token", formOf(app, form))).body["error"]).toBe("invalid_grant");
    expect(await works(app, refreshToken)).toBe(false);
  });
});

describe("an app that gives its tokens back", () => {
  test.each(["refresh_token", "access_token"] as const)("ends the grant with its %s", async (name) => {
    const { flow, tokens, refreshToken } = await connected();
    const response = await oauth.revocationRequest(flow.server, flow.client, flow.proof, tokens[name] ?? "", HTTP);
    await oauth.processRevocationResponse(response);
    expect(await works(app, refreshToken)).toBe(false);
    const sid = decodeJwt(tokens.access_token)["sid"];
    const listed = await rowsOf("SELECT 1 FROM revocations WHERE key = ?", `s:${sid}:${person.tenantId}`);
    expect(listed).toHaveLength(1);
  });

  test("is not told of a token that is not its own, and must prove itself", async () => {
    const { refreshToken } = await connected();
    const other = await newApp();
    expect((await postTo("/oauth/revoke", formOf(other, { token: refreshToken }))).status).toBe(200);
    expect((await postTo("/oauth/revoke", { client_id: app.id, token: refreshToken })).status).toBe(401);
    expect((await postTo("/oauth/revoke", formOf(app, {}))).body["error"]).toBe("invalid_request");
    expect(await works(app, refreshToken)).toBe(true);
  });
});

describe("an app that asks about a token", () => {
  const ask = async (to: App, token: string) => (await postTo("/oauth/introspect", formOf(to, { token }))).body;

  test("is told what its own says, while it works", async () => {
    const own = await newApp(); // What another test ends of an app counts until the end of its second.
    const { flow, tokens, refreshToken } = await connected(own);
    const response = await oauth.introspectionRequest(flow.server, flow.client, flow.proof, tokens.access_token, HTTP);
    const said = await oauth.processIntrospectionResponse(flow.server, flow.client, response);
    expect(said).toMatchObject({
      active: true,
      sub: person.userId,
      client_id: own.id,
      token_type: "Bearer",
      iss: ISSUER,
    });
    expect(await ask(own, refreshToken)).toMatchObject({ active: true, scope: SCOPE, sub: person.userId });
    for (const token of [tokens.access_token, refreshToken, "abc"]) {
      expect(await ask(await newApp(), token)).toEqual({ active: false });
    }
    await postTo("/oauth/revoke", formOf(own, { token: refreshToken }));
    for (const token of [refreshToken, tokens.access_token]) expect(await ask(own, token)).toEqual({ active: false });
  });

  test("must have a secret, and show it", async () => {
    const native = await newApp({ type: "native" });
    expect((await postTo("/oauth/introspect", formOf(native, { token: "abc" }))).status).toBe(401);
    expect((await postTo("/oauth/introspect", { client_id: app.id, token: "abc" })).status).toBe(401);
  });
});

describe("connected apps", () => {
  test("are listed with what they may do, and disconnected at once", async () => {
    const by = await signUpVerified();
    const { refreshToken } = await connected(app, by);
    const [listed, ...others] = (await call("GET", "/auth/apps", { token: by.token })).body.data;
    const client = { id: app.id, name: "Shop" };
    expect([listed, others]).toMatchObject([{ client, tenant: { id: by.tenantId }, grants: 1 }, []]);
    expect(listed.scopes.map(({ name }: { name: string }) => name).sort()).toEqual([
      "email",
      "offline_access",
      "openid",
    ]);
    expect((await call("DELETE", `/auth/apps/${listed.id}`, { token: person.token })).status).toBe(404);
    expect((await call("DELETE", `/auth/apps/${listed.id}`, { token: by.token })).body.message).toBe(
      "App disconnected.",
    );
    expect(await works(app, refreshToken)).toBe(false);
    expect((await call("GET", "/auth/apps", { token: by.token })).body.data).toEqual([]);
    expect((await call("DELETE", `/auth/apps/${listed.id}`, { token: by.token })).status).toBe(404);
    const own = await newApp({ consent: "skip" });
    for (const to of [app, own]) await connected(to, by);
    const exported = (await call("GET", "/auth/me/export", { token: by.token })).body.data;
    const apps = [app, own].map(({ id }) => ({ clientId: id, clientName: "Shop", connections: 1 }));
    expect(exported.apps).toMatchObject(apps.sort((one, other) => (one.clientId < other.clientId ? -1 : 1)));
  });
});
