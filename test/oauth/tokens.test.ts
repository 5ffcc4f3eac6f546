/** Codes and tokens of apps: what they open, how often and for whom; and that nothing is there while it is off. */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { readCode } from "../../src/oauth/authorization/code";
import { seal } from "../../src/oauth/authorization/sealed";
import {
  type App,
  Browser,
  begin,
  CALLBACK,
  exchangeOf,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  postToken,
  rowsOf,
  signInOn,
  signInTo,
  userinfoOf,
} from "../support/apps";
import { call, newAddress, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";
import { callUnder } from "../support/overrides";

let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(), await signUpVerified()];
});

const signedIn = (to = app, by: Person = person, browser = new Browser()) => finished(to, by, browser);

describe("a code", () => {
  test("works once: of 20 exchanges at once one wins, and the sign-in stays", async () => {
    const flow = await begin(app);
    const form = exchangeOf(app, flow, await signInTo(flow, person));
    const headers = { "cf-connecting-ip": "198.51.100.7" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => postToken(form, headers)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_grant")).toHaveLength(19);
    const [winner] = answers.filter(({ status }) => status === 200);
    expect((await userinfoOf(flow, String(winner?.body["access_token"]), person.userId)).sub).toBe(person.userId);
  });

  test("that is shown again by somebody else ends what it gave (oidcc-codereuse, oidcc-codereuse-30seconds)", async () => {
    const { flow, answered, tokens } = await signedIn();
    expect((await postToken(exchangeOf(app, flow, answered))).body["error"]).toBe("invalid_grant");
    await expect(userinfoOf(flow, tokens.access_token, person.userId)).rejects.toThrow();
    const [event] = await rowsOf(
      "SELECT 1 FROM audit_events WHERE action = 'app.code_reused' AND target_id = ?",
      app.id,
    );
    expect(event).toBeDefined();
  });

  test.each<[what: string, changes: Record<string, string>, error: string]>([
    ["another verifier", { code_verifier: "v".repeat(43) }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_grant"],
    ["another redirect URL", { redirect_uri: "https://shop.example/other" }, "invalid_grant"],
    ["an invented code", { code: "abc.def.ghi" }, "invalid_grant"],
    ["a wrong secret", { client_secret: "pcs_0000000000000000000000000000000000000000" }, "invalid_client"],
    ["an unknown client", { client_id: "pc_0000000000000000000000000000" }, "invalid_client"],
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
  ])("is refused with %s, and still works rightly", async (_what, changes, error) => {
    const flow = await begin(app);
    const right = exchangeOf(app, flow, await signInTo(flow, person));
    const refused = await postToken({ ...right, ...changes });
    expect([refused.body["error"], refused.status]).toEqual([error, error === "invalid_client" ? 401 : 400]);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect((await postToken(right)).status).toBe(200);
  });

  test("is exchanged by an app without a secret that sends an empty one", async () => {
    const native = await newApp({ type: "native", redirectUrls: [CALLBACK] });
    const flow = await begin(native);
    const form = exchangeOf(native, flow, await signInTo(flow, person));
    expect((await postToken({ ...form, client_secret: "" })).status).toBe(200);
  });

  test("that is over its time ends nothing that another code gave, however often it is shown", async () => {
    const { flow, answered, tokens } = await signedIn();
    const deps = await createDeps(env, createExecutionContext());
    const code = await readCode(deps, answered.searchParams.get("code") ?? "");
    if (!code) throw new Error("no code");
    const late = await seal(deps, "code", { ...code, id: `${code.id}-late`, validUntil: 1 });
    const form = { ...exchangeOf(app, flow, answered), code: late };
    for (let times = 0; times < 2; times += 1) {
      expect((await postToken(form)).body["error"]).toBe("invalid_grant");
    }
    expect((await userinfoOf(flow, tokens.access_token, person.userId)).sub).toBe(person.userId);
  });

  test("of one app opens nothing for another", async () => {
    const flow = await begin(app);
    const right = exchangeOf(app, flow, await signInTo(flow, person));
    const other = await newApp();
    const stolen = { ...right, client_id: other.id, client_secret: other.secret ?? "" };
    expect((await postToken(stolen)).body["error"]).toBe("invalid_grant");
  });

  test("gives nothing once the session, the membership or the tenant is gone", async () => {
    const leaving = await signUpVerified();
    const endings = [
      "DELETE FROM sessions WHERE user_id = ?1",
      "UPDATE tenants SET suspended_at = 1 WHERE id = (SELECT tenant_id FROM memberships WHERE user_id = ?1)",
      "UPDATE users SET suspended_at = 1 WHERE id = ?1",
      "DELETE FROM memberships WHERE user_id = ?1",
    ];
    const flows = [];
    for (const _ of endings) flows.push(await begin(app));
    const answers = [];
    for (const flow of flows) answers.push(await signInTo(flow, leaving));
    for (const [index, flow] of flows.entries()) {
      await env.DB.prepare(endings[index] ?? "")
        .bind(leaving.userId)
        .run();
      const answered = answers[index] ?? new URL(CALLBACK);
      expect((await postToken(exchangeOf(app, flow, answered))).body["error"]).toBe("invalid_grant");
      await env.DB.prepare("UPDATE tenants SET suspended_at = NULL WHERE suspended_at = 1").run();
    }
  });

  test("needs a form, and each parameter once", async () => {
    const send = async (body: string, type: string) => {
      const headers = { "content-type": type, "cf-connecting-ip": "198.51.100.9" };
      const response = await exports.default.fetch(
        new Request(`${ISSUER}/oauth/token`, { method: "POST", headers, body }),
      );
      return [response.status, (await response.json<Record<string, unknown>>())["error"]];
    };
    expect(await send("{}", "application/json")).toEqual([415, "invalid_request"]);
    expect(await send("code=a&code=b", "application/x-www-form-urlencoded")).toEqual([400, "invalid_request"]);
    expect(await send("x".repeat(17_000), "application/x-www-form-urlencoded")).toEqual([413, "invalid_request"]);
    expect(await send("", "application/x-www-form-urlencoded")).toEqual([401, "invalid_client"]);
  });
});

describe("an access token of an app", () => {
  test("ends with the session, and is in the list of revoked tokens", async () => {
    const own = await signUpVerified();
    const { flow, tokens, claims } = await signedIn(app, own);
    await call("POST", "/auth/logout-all", { token: own.token });
    await expect(userinfoOf(flow, tokens.access_token, own.userId)).rejects.toThrow();
    const text = `s:${String(claims["sid"])}:${own.tenantId}`;
    expect(await rowsOf("SELECT 1 FROM revocations WHERE key = ?", text)).toHaveLength(1);
    expect(await rowsOf("SELECT 1 FROM oauth_grants WHERE user_id = ?", own.userId)).toEqual([]);
  });

  test("opens nothing of our API, and a session's token opens no userinfo", async () => {
    const { tokens } = await signedIn();
    expect((await call("GET", "/auth/me", { token: tokens.access_token })).status).toBe(401);
    expect((await call("GET", "/auth/me", { token: tokens.id_token ?? "" })).status).toBe(401);
    const ask = async (headers: Record<string, string>) => {
      const response = await exports.default.fetch(new Request(`${ISSUER}/oauth/userinfo`, { headers }));
      return [response.status, response.headers.get("www-authenticate")];
    };
    expect(await ask({ authorization: `Bearer ${person.token}` })).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await ask({ authorization: `Bearer ${tokens.id_token}` })).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await ask({})).toEqual([401, "Bearer"]);
  });

  test("may be sent in the body of a POST, and not in the query (oidcc-userinfo-post-body)", async () => {
    const { tokens } = await signedIn();
    const url = `${ISSUER}/oauth/userinfo`;
    const body = new URLSearchParams({ access_token: tokens.access_token });
    expect((await exports.default.fetch(new Request(url, { method: "POST", body }))).status).toBe(200);
    expect((await exports.default.fetch(new Request(`${url}?${body}`))).status).toBe(401);
  });
});

test("who has not verified the address gets through only where the app says so", async () => {
  const unverified = await signUp();
  const browser = new Browser();
  const error = async (to: App) => {
    const { page } = await browser.follow((await begin(to)).url);
    const signed = await signInOn(browser, page.html, unverified);
    return signed.status;
  };
  // The sign-in itself wants the verified address.
  expect(await error(app)).toBe(403);
});

describe("a client that is for some tenants", () => {
  test("lets their members through, and nobody else", async () => {
    const other = await newApp({ tenants: [person.tenantId] });
    expect((await signInTo(await begin(other), person)).searchParams.get("code")).not.toBeNull();
    const outside = await signInTo(await begin(other), await signUpVerified());
    expect(outside.searchParams.get("error")).toBe("access_denied");
  });
});

test("while OAUTH_SERVER is off there is nothing at these paths", async () => {
  const off = { OAUTH_SERVER: "off" };
  for (const [method, path] of [
    ["GET", "/oauth/authorize"],
    ["POST", "/oauth/token"],
    ["GET", "/oauth/token"],
    ["GET", "/oauth/userinfo"],
    ["GET", "/account/sign-in"],
    ["POST", "/account/consent"],
    ["GET", "/api/v1/platform/clients"],
    ["POST", "/api/v1/platform/clients"],
    ["GET", "/api/v1/platform/apps"],
    ["GET", "/api/v1/tenant/apps"],
    ["GET", "/console/apps"],
    ["GET", "/console/operator/apps"],
    ["POST", "/oauth/par"],
    ["POST", "/oauth/device"],
    ["POST", "/oauth/register"],
    ["POST", "/oauth/introspect"],
    ["POST", "/oauth/revoke"],
    ["GET", "/oauth/logout"],
    ["GET", "/account/device"],
    ["GET", "/account/apps"],
    ["GET", "/api/v1/auth/apps"],
    ["GET", "/api/v1/platform/resources"],
    ["GET", "/.well-known/oauth-protected-resource/api/v1"],
  ] as const) {
    const answer = await callUnder(off, { method, path });
    expect([path, answer.status, answer.body.message]).toEqual([path, 404, "Route not found"]);
    const unknown = await callUnder(off, { method, path: path.startsWith("/api/") ? "/api/v1/nowhere" : "/nowhere" });
    expect([path, ...answer.headers.keys()]).toEqual([path, ...unknown.headers.keys()]);
  }
  const { body } = await callUnder(off, { method: "GET", path: "/.well-known/openid-configuration" });
  expect(Object.keys(body).filter((name) => name.endsWith("_endpoint"))).toEqual([]);
  const keys = (await callUnder(off, { method: "GET", path: "/.well-known/jwks.json" })).body.keys;
  expect(keys.map(({ alg }: { alg: string }) => alg)[0]).toBe("ES256");
});

test("whoever uses none of it pays nothing: with on and with off, the same answers, headers, trips and rows", async () => {
  const { counted, cost } = countedEnv();
  const seen = [];
  for (const OAUTH_SERVER of ["on", "off"]) {
    await readSigners();
    const by = await signUpVerified();
    const login = { email: by.email, password: PASSWORD };
    const calls = [
      ["POST", "/api/v1/auth/login", login],
      ["GET", "/api/v1/auth/me"],
      ["GET", "/api/v1/auth/sessions"],
      ["GET", "/api/v1/tenant/security"],
      ["GET", "/api/v1/webhooks"],
      ["POST", "/api/v1/auth/logout"],
    ] as const;
    const done = [];
    for (const [method, path, body] of calls) {
      const { trips, rowsWritten } = { ...cost };
      const answer = await callUnder(
        { ...counted, OAUTH_SERVER, OAUTH_CLIENT_METADATA: "off", OAUTH_REGISTRATION: "off" },
        { method, path, body, token: by.token, ip: newAddress() },
      );
      const { data } = answer.body;
      const members = [data].flat().map((one) => Object.keys(one ?? {}));
      const spent = [cost.trips - trips, cost.rowsWritten - rowsWritten];
      done.push([path, answer.status, [...answer.headers.keys()], members, spent]);
    }
    seen.push(done);
  }
  expect(seen[0]).toEqual(seen[1]);
});
