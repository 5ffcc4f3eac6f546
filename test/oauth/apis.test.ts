/** How APIs are registered, and what their verifier tells apps. */
import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  answerOn,
  Browser,
  begin,
  clientsKey,
  exchangeOf,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  postTo,
  rowsOf,
  signInOn,
  signInTo,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { type Api, forApis, newApi, SCOPES, verifierOf } from "../support/resources";

let [notes, mail]: Api[] = [];
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [notes, mail] = [await newApi(), await newApi({ name: "Mail" })];
  [app, person] = [await newApp(forApis(notes, mail)), await signUpVerified()];
});

/** The tokens of a sign-in that asks for APIs. */
async function tokensFor(changes: Record<string, string>) {
  const flow = await begin(app, changes);
  return (await postTo("/oauth/token", exchangeOf(app, flow, await signInTo(flow, person)))).body;
}

describe("APIs", () => {
  const change = async (method: string, path: string, body?: unknown) =>
    call(method, `/platform/resources${path}`, { token: await clientsKey(), body });

  test("are listed with our own first, changed and deleted", async () => {
    const api = await newApi();
    const listed = (await change("GET", "")).body.data;
    expect(listed[0]).toMatchObject({ id: "api", identifier: `${ISSUER}/api/v1`, owner: "platform" });
    expect(listed.map(({ id }: Api) => id)).toContain(api.id);
    expect((await change("PATCH", `/${api.id}`, { enabled: false })).body.data.enabled).toBe(false);
    expect((await change("PATCH", "/api", { name: "Other" })).status).toBe(400);
    expect((await change("PATCH", "/api", { unlisted: true })).body.data.unlisted).toBe(true);
    expect((await change("PATCH", "/api", { unlisted: false })).body.data.unlisted).toBe(false);
    expect((await change("DELETE", `/${api.id}`, {})).status).toBe(200);
    for (const id of [api.id, "api", "pr_nobody"]) expect((await change("DELETE", `/${id}`, {})).status).toBe(404);
  });

  test.each<[what: string, fields: Record<string, unknown>, status: number]>([
    ["our own URL", { identifier: `${ISSUER}/api/v1/` }, 400],
    ["our userinfo", { identifier: `${ISSUER}/oauth/userinfo` }, 400],
    ["the audience of sessions", { identifier: "postern" }, 400],
    ["http", { identifier: "http://notes.example/" }, 400],
    ["a fragment", { identifier: "https://notes.example/#a" }, 400],
    ["another spelling", { identifier: "https://NOTES.example/" }, 400],
    ["a scope of OpenID Connect", { scopes: [{ name: "openid", description: "x" }] }, 400],
    ["a scope with a space", { scopes: [{ name: "a b", description: "x" }] }, 400],
    ["no scope", { scopes: [] }, 400],
    ["an unknown member", { other: 1 }, 400],
  ])("are refused with %s", async (_what, fields, status) => {
    const body = {
      name: "Notes",
      identifier: `https://notes.example/${crypto.randomUUID()}`,
      scopes: SCOPES,
      ...fields,
    };
    expect((await change("POST", "", body)).status).toBe(status);
  });

  test("of one identifier there is one, with or without a slash at the end", async () => {
    const { identifier } = await newApi();
    for (const taken of [identifier, `${identifier}/`]) {
      const answer = await change("POST", "", { name: "Notes", identifier: taken, scopes: SCOPES });
      expect(answer.status).toBe(409);
    }
  });

  test("stop at the cap, also in parallel", async () => {
    const count = (await change("GET", "")).body.data.length - 1;
    const variables = { MAX_RESOURCES: String(count + 2) };
    const token = await clientsKey();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => {
        const body = { name: "N", identifier: `https://notes.example/${crypto.randomUUID()}`, scopes: SCOPES };
        return callUnder(variables, { method: "POST", path: "/api/v1/platform/resources", token, body });
      }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
  });
});

test("a verifier tells apps what they lack, and where to get it", async () => {
  const [one, two] = [notes?.identifier ?? "", mail?.identifier ?? ""];
  const access = verifierOf(one, { scopes: ["notes.read", "notes.write", "offline_access"] });
  const { pathname, origin } = new URL(one);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  expect(access.metadata()).toMatchObject({ resource: one, authorization_servers: [ISSUER] });
  expect(access.metadata().scopes_supported).toEqual(["notes.read", "notes.write"]);
  expect(access.metadataPaths).toEqual([
    `/.well-known/oauth-protected-resource${pathname}`,
    "/.well-known/oauth-protected-resource",
  ]);
  const token = String((await tokensFor({ scope: "openid notes.read", resource: one }))["access_token"]);
  const refusedBy = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
  const missing = await refusedBy(access.verify(token, ["notes.write"]));
  expect(missing).toMatchObject({ reason: "MISSING_SCOPE", status: 403 });
  expect(access.challenge(missing)).toBe(
    `Bearer error="insufficient_scope", scope="notes.read notes.write", resource_metadata="${url}"`,
  );
  const nothing = await refusedBy(access.verify(new Request(one)));
  expect(access.challenge(nothing)).toBe(`Bearer resource_metadata="${url}"`);
  const foreign = await refusedBy(verifierOf(two).verify(token));
  expect(access.challenge(foreign)).toBe(`Bearer error="invalid_token", resource_metadata="${url}"`);
  expect(await access.authInfo(token)).toMatchObject({ token, clientId: app.id, scopes: ["notes.read"] });
  expect((await access.authInfo(token)).expiresAt).toBe(decodeJwt(token).exp);
});

test("the page that asks names the API and what each scope does, and sensitive ones want a fresh sign-in", async () => {
  const scopes = [...SCOPES, { name: "notes.purge", description: "Delete all your notes", sensitive: true }];
  const api = await newApi({ name: "Vault", scopes });
  const other = await newApp(forApis(api));
  const browser = new Browser();
  const asking = async (scope: string) => browser.follow((await begin(other, { scope, resource: api.identifier })).url);
  const signed = await signInOn(browser, (await asking("openid notes.read")).page.html, person);
  const { html } = (await browser.follow(signed.next ?? "")).page;
  for (const text of ["Vault", api.identifier, "Read your notes"]) expect(html).toContain(text);
  expect(html).not.toContain("Change your notes");
  await answerOn(browser, html, "allow");
  // Signed in just now.
  expect((await asking("openid notes.purge")).page.html).toContain("Delete all your notes");
});

test("a person is told by mail of an app that may use our API while they are signed in, the first time", async () => {
  const [by, browser] = [await signUpVerified(), new Browser()];
  const own = await newApp(forApis({ identifier: `${ISSUER}/api/v1` }));
  const asking = { scope: "openid webhook.read", resource: `${ISSUER}/api/v1` };
  const links = () =>
    rowsOf("SELECT 1 FROM email_tokens WHERE subject_id = ? AND action ->> 'kind' = 'app'", by.userId);
  await finished(own, by, browser, { scope: "openid" });
  expect(await links()).toEqual([]);
  const other = await newApp(forApis({ identifier: `${ISSUER}/api/v1` }));
  await finished(other, by, browser, asking);
  expect((await mailTo(by.email, /Shop is connected/)).text).toContain("in your name");
  for (const prompt of [null, "consent"]) await finished(other, by, browser, { ...asking, prompt });
  expect(await links()).toHaveLength(1);
});

test("the command line is an app of every service: for our API alone, by a click, whatever tenants say of others", async () => {
  const off = { OAUTH_CLIENT_METADATA: "off", OAUTH_REGISTRATION: "off" };
  const asks = { redirect_uri: "http://127.0.0.1:40001/callback", scope: "webhook.read", resource: `${ISSUER}/api/v1` };
  const by = await signUpVerified();
  await call("PATCH", "/tenant/security", { token: by.token, body: { unlistedApps: "block" } });
  const [cli, browser] = [{ id: "postern-cli" }, new Browser(off)];
  const flow = await begin(cli, asks);
  const signed = await signInOn(browser, (await browser.follow(flow.url)).page.html, by);
  const { page } = await browser.follow(signed.next ?? "/nowhere");
  expect(page.html).toContain("command line");
  const answered = new URL((await answerOn(browser, page.html, "allow")).next ?? "");
  const form = { ...exchangeOf(cli, flow, answered), redirect_uri: asks.redirect_uri };
  const token = String((await postTo("/oauth/token", form)).body["access_token"]);
  expect((await call("GET", "/webhooks", { token })).status).toBe(200);
  const foreign = { resource: notes?.identifier ?? "", scope: "notes.read" };
  const others: [change: Record<string, string>, status: number][] = [
    [foreign, 200],
    [{ redirect_uri: "https://evil.example/callback" }, 400],
    [{ redirect_uri: "http://127.0.0.1:40001/other" }, 400],
  ];
  for (const [change, status] of others) {
    const refused = await browser.open((await begin(cli, { ...asks, ...change, prompt: "none" })).url);
    expect([refused.status, refused.next, refused.html.includes("code=")]).toEqual([status, null, false]);
  }
  expect((await browser.open((await begin(cli, { ...asks, ...foreign })).url)).html).toContain("invalid_target");
});
