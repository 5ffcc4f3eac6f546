/** Clients: who registers and changes them, what is refused, and what becomes of their secrets. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { removeEndedGrants } from "../../src/oauth/clients/endings";
import { isRegistered, refusalOf } from "../../src/oauth/clients/redirect-urls";
import {
  Browser,
  begin,
  CALLBACK,
  clientsKey,
  exchangeOf,
  finished,
  forgetClientsKey,
  newApp,
  postToken,
  rowsOf,
  signInTo,
} from "../support/apps";
import { call, signUpVerified } from "../support/client";
import { operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { newPlatformKey } from "../support/platform-keys";

beforeAll(forgetClientsKey);

const as = async (method: string, path: string, body?: unknown, token?: string) =>
  call(method, `/platform/clients${path}`, {
    token: token ?? (await clientsKey()),
    ...(body === undefined ? {} : { body }),
  });
const SHOP = { name: "Shop", redirectUrls: [CALLBACK] };

test("a client is registered once for an external id, read, listed, changed and deleted", async () => {
  const externalId = `shop-${crypto.randomUUID()}`;
  const made = await as("POST", "", { ...SHOP, externalId });
  const { id, secret, ...shown } = made.body.data;
  expect([made.status, id, secret]).toEqual([201, expect.stringMatching(/^pc_/), expect.stringMatching(/^pcs_/)]);
  expect(shown).toMatchObject({
    owner: "platform",
    kind: "registered",
    consent: "ask",
    pkce: "required",
    enabled: true,
  });
  const again = await as("POST", "", { ...SHOP, externalId });
  expect([again.status, again.body.data.id, again.body.data.secret]).toEqual([200, id, undefined]);
  expect((await as("POST", "", { ...SHOP, name: "Other", externalId })).status).toBe(409);
  expect((await as("GET", `/${id}`)).body.data).toMatchObject({ id, secretPrefix: `${secret.slice(0, 8)}…` });
  expect((await as("GET", `?externalId=${externalId}`)).body.data).toHaveLength(1);
  const changed = await as("PATCH", `/${id}`, { name: "Store", accessTokenSeconds: 60 });
  expect(changed.body.data).toMatchObject({ name: "Store", accessTokenSeconds: 60, redirectUrls: [CALLBACK] });
  expect((await as("DELETE", `/${id}`)).body.message).toBe("Client deleted.");
  expect((await as("GET", `/${id}`)).status).toBe(404);
});

test("lists go on from page to page, newest first", async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index++) ids.unshift((await newApp()).id);
  const first = (await as("GET", "?limit=2")).body;
  const second = (await as("GET", `?limit=2&cursor=${first.nextCursor}`)).body;
  const listed = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
  expect(listed.filter((id) => ids.includes(id)).sort()).toEqual(ids.toSorted());
  expect((await as("GET", "?cursor=abc")).status).toBe(400);
});

describe("who", () => {
  test("is nobody, a person, an API key or a key without the scope is refused", async () => {
    const person = await signUpVerified();
    const apiKey = await call("POST", "/api-keys", {
      token: person.token,
      body: { name: "k", scopes: ["event.publish"] },
    });
    const { key } = await newPlatformKey(["clients.read"]);
    expect((await call("POST", "/platform/clients", { body: SHOP })).status).toBe(401);
    expect((await as("POST", "", SHOP, person.token)).status).toBe(404);
    expect((await as("POST", "", SHOP, apiKey.body.data.key)).status).toBe(401);
    expect((await as("POST", "", SHOP, key)).status).toBe(403);
    expect((await as("GET", "", undefined, key)).status).toBe(200);
  });

  test("is limited to tenants cannot manage clients", async () => {
    const { token, tenantId } = await operator();
    const body = { name: "k", scopes: ["clients.read"], tenants: [tenantId] };
    expect((await call("POST", "/platform/keys", { token, body })).status).toBe(400);
  });

  test("changes clients is counted with all others who do", async () => {
    const variables = { RATE_LIMITS: JSON.stringify({ writeClients: { limit: 1, windowSeconds: 60 } }) };
    const statuses = [];
    for (const token of [await clientsKey(), (await newPlatformKey(["clients.write"])).key]) {
      statuses.push((await callUnder(variables, { path: "/api/v1/platform/clients", token })).status);
    }
    expect(statuses.at(-1)).toBe(429);
    const read = { method: "GET", path: "/api/v1/platform/clients", token: await clientsKey() };
    expect((await callUnder(variables, read)).status).toBe(200);
  });

  test("has a key makes no app that asks nobody, and changes none", async () => {
    expect((await as("POST", "", { ...SHOP, consent: "skip" })).status).toBe(403);
    const own = await newApp({ consent: "skip" });
    expect((await as("PATCH", `/${own.id}`, { redirectUrls: ["https://evil.example/"] })).status).toBe(403);
    expect((await as("PATCH", `/${(await newApp()).id}`, { consent: "skip" })).status).toBe(403);
    for (const [method, path] of [
      ["DELETE", ""],
      ["POST", "/secret"],
      ["DELETE", "/secret/previous"],
      ["POST", "/revoke"],
    ]) {
      expect([method, path, (await as(method ?? "", `/${own.id}${path}`, {})).status]).toEqual([method, path, 403]);
    }
  });

  test("operates the service confirms the session first", async () => {
    const { token } = await operator();
    await env.DB.exec("UPDATE sessions SET created_at = created_at - 3600000, confirmed_at = 1");
    expect((await as("POST", "", SHOP, token)).body.code).toBe("STEP_UP_REQUIRED");
  });
});

test.each<[what: string, body: object, path: string]>([
  ["no name", { redirectUrls: [CALLBACK] }, "name"],
  ["no redirect URL", { name: "Shop" }, "redirectUrls"],
  ["a name with a host", { ...SHOP, name: "evil.example" }, "name"],
  ["an unknown member", { ...SHOP, admin: true }, ""],
  ["a native app with a secret", { ...SHOP, type: "native", auth: "secret" }, "auth"],
  ["no PKCE without a secret", { ...SHOP, auth: "none", pkce: "optional" }, "pkce"],
  ["a URL of a script", { ...SHOP, redirectUrls: ["javascript:alert(1)"] }, "redirectUrls.0"],
  ["a long life", { ...SHOP, accessTokenSeconds: 901 }, "accessTokenSeconds"],
  ["an unknown scope", { ...SHOP, scopes: ["admin"] }, "scopes.0"],
])("%s is refused, and the field is named", async (_what, body, path) => {
  const { status, body: answer } = await as("POST", "", body);
  expect([status, answer.code, answer.details?.[0]?.path]).toEqual([400, "VALIDATION_FAILED", path]);
});

test("an unknown tenant is refused", async () => {
  expect((await as("POST", "", { ...SHOP, tenants: ["ext:nobody"] })).status).toBe(404);
});

test("stop at the cap, also in parallel", async () => {
  const { key } = await newPlatformKey(["clients.write"]);
  const [count] = (
    await env.DB.prepare("SELECT count(*) AS n FROM oauth_clients WHERE tenant_id = 'platform'").all<{ n: number }>()
  ).results;
  const register = () =>
    callUnder(
      { MAX_CLIENTS: String((count?.n ?? 0) + 2) },
      { path: "/api/v1/platform/clients", body: SHOP, token: key },
    );
  const answers = await Promise.all(Array.from({ length: 12 }, register));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.find(({ status }) => status === 409)?.body.message).toContain("clients");
});

describe("a secret", () => {
  test("is replaced with an overlap, which can be ended; codes are exchanged with either", async () => {
    const person = await signUpVerified();
    const app = await newApp();
    const rotated = (await as("POST", `/${app.id}/secret`, {})).body.data;
    expect((await as("POST", `/${app.id}/secret`, {})).status).toBe(409);
    const works = async (secret: string) => {
      const flow = await begin(app);
      const answered = await signInTo(flow, person);
      return (await postToken(exchangeOf({ ...app, secret }, flow, answered))).status;
    };
    expect([await works(app.secret ?? ""), await works(rotated.secret)]).toEqual([200, 200]);
    expect((await as("DELETE", `/${app.id}/secret/previous`)).body.message).toBe("Former secret ended.");
    expect([await works(app.secret ?? ""), await works(rotated.secret)]).toEqual([401, 200]);
    const [row] = (await env.DB.prepare("SELECT * FROM oauth_clients WHERE id = ?").bind(app.id).all()).results;
    expect(JSON.stringify(row)).not.toContain(rotated.secret);
  });

  test("may come by Basic, but not in two ways", async () => {
    const app = await newApp();
    const basic = { authorization: `Basic ${btoa(`${app.id}:${app.secret}`)}` };
    const form = { grant_type: "authorization_code", code: "abc" };
    expect((await postToken(form, basic)).body["error"]).toBe("invalid_grant");
    const twice = await postToken({ ...form, client_secret: app.secret ?? "" }, basic);
    expect(twice.body["error"]).toBe("invalid_request");
    const wrong = await postToken(form, { authorization: `Basic ${btoa(`${app.id}:no`)}` });
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="postern"']);
  });
});

test("a client that is revoked, disabled or deleted ends its tokens", async () => {
  const person = await signUpVerified();
  for (const end of [
    (id: string) => as("POST", `/${id}/revoke`, {}),
    (id: string) => as("PATCH", `/${id}`, { enabled: false }),
    (id: string) => as("DELETE", `/${id}`),
  ]) {
    const app = await newApp();
    const flow = await begin(app);
    const form = exchangeOf(app, flow, await signInTo(flow, person));
    expect((await end(app.id)).status).toBe(200);
    expect((await postToken(form)).status).toBeGreaterThanOrEqual(400);
    const listed = await env.DB.prepare("SELECT 1 FROM revocations WHERE key = ?").bind(`c:${app.id}`).all();
    expect(listed.results).toHaveLength(1);
  }
});

test("the rows of a client that is deleted or revoked are removed later, and nothing else is", async () => {
  const person = await signUpVerified();
  const [kept, revoked, deleted] = [await newApp(), await newApp(), await newApp()];
  const browser = new Browser();
  for (const one of [kept, revoked, deleted]) await finished(one, person, browser, { scope: "openid offline_access" });
  await as("POST", `/${revoked.id}/revoke`, {});
  await as("DELETE", `/${deleted.id}`);
  await env.DB.exec("UPDATE oauth_endings SET at = at - 961000");
  await env.DB.exec("UPDATE oauth_grants SET created_at = created_at - 962000, issued_at = issued_at - 962000");
  // The same sign-in, which the person has renewed since.
  await finished(revoked, person, browser);
  const left = async (table: string) => {
    const found = await rowsOf(`SELECT client_id AS id FROM ${table} WHERE user_id = ?`, person.userId);
    return [kept, revoked, deleted].map(({ id }) => found.filter((row) => row["id"] === id).length);
  };
  expect(await left("oauth_grants")).toEqual([2, 2, 2]);
  const deps = await createDeps(env, createExecutionContext());
  // In as many runs as it takes.
  let cursor: string | null = "";
  while (cursor !== null) {
    let pages = 0;
    cursor = await removeEndedGrants(deps, 0, cursor, () => pages++ > 0);
  }
  expect([await left("oauth_grants"), await left("oauth_consents")]).toEqual([
    [2, 1, 0],
    [1, 1, 0],
  ]);
  expect(await rowsOf("SELECT 1 FROM oauth_endings")).toEqual([]);
  expect(await rowsOf("SELECT 1 FROM revocations WHERE user_id = ?", person.userId)).toEqual([]);
});

describe("redirect URLs", () => {
  test.each([
    "https://shop.example",
    "https://shop.example/a?b=c",
    "http://localhost:3000/callback",
    "http://127.0.0.1/",
    "http://[::1]:8080/callback",
  ])("%s is taken", (url) => {
    expect(refusalOf(url, "web")).toBeNull();
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "javascript://shop.example/%0aalert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://shop.example/x",
    "vbscript:x",
    "http://shop.example/",
    "https://user@shop.example/",
    "https://shop.example/#x",
    "https:/shop.example",
    "https:\\shop.example",
    "https://shop.example/a b",
    "com.example.app:/callback",
    "",
  ])("%s is refused for the web", (url) => {
    expect(refusalOf(url, "web")).not.toBeNull();
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "intent://x",
    "mailto:a@b.example",
    "JavaScript:x",
  ])("%s is no scheme of a native app", (url) => {
    expect(refusalOf(url, "native")).not.toBeNull();
  });

  test("of a native app may have a scheme of its own, and any port of the same loopback host", () => {
    expect(refusalOf("com.example.app:/callback", "native")).toBeNull();
    expect(refusalOf("app:/callback", "native")).toBeNull();
    const registered = ["http://127.0.0.1/callback", "http://[::1]:1/callback"];
    const matches = (url: string, type: "web" | "native" = "native") => isRegistered(url, registered, type);
    expect(matches("http://127.0.0.1:65535/callback")).toBe(true);
    expect(matches("http://[::1]/callback")).toBe(true);
    expect(matches("http://127.0.0.1:1/callback", "web")).toBe(false);
    expect(matches("http://localhost:1/callback")).toBe(false);
    expect(matches("http://127.0.0.1:1/other")).toBe(false);
    expect(matches("http://127.0.0.1.evil.example:1/callback")).toBe(false);
    expect(matches("http://127.0.0.1:1@evil.example/callback")).toBe(false);
  });
});
