/** Apps that nobody has registered: by a document at their `client_id`, or by a registration that is stored nowhere. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { DAY_MS } from "../../src/base/time";
import { isDocumentUrl } from "../../src/oauth/clients/unlisted/document";
import { forgetDocuments } from "../../src/oauth/clients/unlisted/fetch-json";
import { removeUnlistedApps } from "../../src/oauth/clients/unlisted/forget";
import { askingAt, callbackOf, newAgentId as newId, shownTo } from "../support/agents";
import {
  type App,
  answerOn,
  Browser,
  begin,
  discover,
  exchangeOf,
  forgetClientsKey,
  ISSUER,
  postTo,
  rowsOf,
} from "../support/apps";
import { call, newAddress, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { type Api, LISTED, newApi, verifierOf } from "../support/resources";

let open: Api;
let closed: Api;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [open, closed] = [await newApi({ unlisted: true }), await newApi()];
  person = await signUpVerified();
});

const asking = (changes: Record<string, string | null> = {}) => ({ ...askingAt(open), ...changes });
const shown = (id: string, changes: Record<string, string | null> = {}, browser = new Browser()) =>
  shownTo(person, id, asking(changes), browser);

/** The tokens of an app that the person allows what it asks for. */
async function allowed(id: string, changes: Record<string, string | null> = {}) {
  const { app, flow, page, browser } = await shown(id, changes);
  const answered = await answerOn(browser, page.html, "allow");
  const url = new URL(answered.next ?? "");
  const form = { ...exchangeOf(app, flow, url), redirect_uri: changes["redirect_uri"] ?? callbackOf(id) };
  return { ...(await postTo("/oauth/token", { ...form, resource: open.identifier })), url, browser };
}

describe("an app by its document", () => {
  test("is shown by its host, gets a token for an open API, and is stored once it is allowed", async () => {
    const id = newId();
    const { page } = await shown(id);
    const { host } = new URL(id);
    expect(page.html.indexOf(host)).toBeLessThan(page.html.indexOf("Helper"));
    expect(page.html).toContain("which is not registered here");
    const stored = () => rowsOf("SELECT kind, host FROM oauth_clients WHERE id = ?", id);
    expect(await stored()).toEqual([]);
    const { body, url } = await allowed(id);
    expect([url.searchParams.get("iss"), await stored()]).toEqual([ISSUER, [{ kind: "metadata", host }]]);
    const access = await verifierOf(open.identifier).verify(String(body["access_token"]));
    expect(access).toMatchObject({ clientId: id, userId: person.userId, scopes: ["notes.read"] });
    const refresh = { client_id: id, grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    expect((await postTo("/oauth/token", refresh)).status).toBe(200);
    const { data } = (await call("GET", "/auth/apps", { token: person.token })).body;
    expect(data.find(({ client }: { client: App }) => client.id === id).client).toMatchObject({ host, name: "Helper" });
  });

  test("gets nothing without a click, not even an error, and no API that is not open", async () => {
    const id = newId();
    const { browser } = await allowed(id);
    const again = await shown(id, {}, browser);
    expect([again.page.status, again.page.next, again.page.html]).toEqual([
      200,
      null,
      expect.stringContaining("Continue"),
    ]);
    const silent = await shown(id, { prompt: "none" }, browser);
    expect([silent.page.status, silent.page.next]).toEqual([200, null]);
    expect(silent.page.html).toContain("interaction_required");
    for (const resource of [closed.identifier, `${ISSUER}/api/v1`]) {
      expect((await shown(id, { resource, prompt: "none" }, browser)).page.html).toContain("invalid_target");
    }
  });

  test("is asked about again when its document has changed", async () => {
    const id = newId("changing");
    const { browser } = await allowed(id);
    expect((await shown(id, {}, browser)).page.html).not.toContain('name="ask"');
    forgetDocuments();
    expect((await shown(id, {}, browser)).page.html).toContain('name="ask"');
  });

  test("is forgotten once nobody has used it for 430 days, unless somebody says something of it", async () => {
    const [old, used, blocked] = [newId(), newId(), newId()];
    for (const id of [old, used, blocked]) await allowed(id);
    await call("PUT", `/tenant/apps/${encodeURIComponent(blocked)}`, {
      token: person.token,
      body: { state: "blocked" },
    });
    const long = Date.now() - 431 * DAY_MS;
    await rowsOf("UPDATE oauth_clients SET last_used_at = ? WHERE id IN (?, ?)", String(long), old, blocked);
    const deps = await createDeps(env, createExecutionContext());
    // Page by page, in as many runs as it takes.
    let cursor: string | null = "";
    while (cursor !== null) cursor = await removeUnlistedApps(deps, 0, cursor, () => true);
    const left = await rowsOf("SELECT id FROM oauth_clients WHERE id IN (?, ?, ?)", old, used, blocked);
    expect(left.map(({ id }) => id).toSorted()).toEqual([used, blocked].toSorted());
    // Whoever allows it something again stores it again.
    expect((await allowed(old, { prompt: "consent" })).status).toBe(200);
  });

  test.each<[what: string, special: string, status: number]>([
    ["of another id", "named", 400],
    ["with redirects of others alone", "foreign", 400],
    ["with a shared secret", "secret", 400],
    ["that is too large", "huge", 400],
    ["that is elsewhere", "moved", 400],
    ["that is no JSON", "html", 400],
    ["that is missing", "missing", 400],
    ["with keys of another host", "keys", 400],
    ["without a name", "nameless", 400],
    ["whose name turns the text around", "bidi", 400],
    ["that is good", "good", 303],
  ])("%s: %s answers %i", async (_what, special, status) => {
    const id = newId(special);
    const page = await new Browser().open((await begin({ id }, { redirect_uri: callbackOf(id), ...asking() })).url);
    expect(page.status).toBe(status);
  });

  test("is not fetched unless its URL is good, letter by letter", async () => {
    const context = { waitUntil: () => undefined } as unknown as ExecutionContext;
    const deps = await createDeps({ ...env, WEBHOOK_EGRESS: "public" } as Env, context, `${ISSUER}/`);
    const path = (characters: number) => `https://app.example/${"a".repeat(characters - 20)}`;
    const [good, bad] = [
      ["https://app.example/client.json", path(256)],
      [
        path(257),
        "http://app.example/a",
        "https://app.example",
        "https://app.example/",
        "https://app.example:8443/a",
        "https://user@app.example/a",
        "https://app.example/a?b",
        "https://app.example/a#b",
        "https://app.example/../a",
        "https://app.example/%2e%2e/a",
        "https://APP.example/a",
        "https://localhost/a",
        "https://localhost:8443/a",
        "https://127.0.0.1/a",
        "https://[::1]/a",
        "https://2130706433/a",
        "https://app/a",
        "https://postern.test/a",
        "https://app.example/a b",
        "https://app.example\\@evil.example/a",
        "https://äpp.example/a",
      ],
    ];
    const judged = (urls: readonly string[]) => urls.map((url) => [url, isDocumentUrl(deps, url)]);
    expect(judged(good)).toEqual(good.map((url) => [url, true]));
    expect(judged(bad)).toEqual(bad.map((url) => [url, false]));
  });

  test("is fetched 30 times a minute for an address, and 10 times of a host", async () => {
    const statusesOf = async (ids: string[]) => {
      const ip = newAddress();
      const asked = ids.map(async (id) => (await begin({ id }, { redirect_uri: callbackOf(id), ...asking() })).url);
      const urls = (await Promise.all(asked)).map((url) =>
        new Browser().open(url, { headers: { "cf-connecting-ip": ip } }),
      );
      return (await Promise.all(urls)).map(({ status }) => status).toSorted();
    };
    const ofOneAddress = Array.from({ length: 32 }, () => newId("missing"));
    expect(await statusesOf(ofOneAddress)).toEqual([...Array(30).fill(400), 429, 429]);
    const host = new URL(newId("missing")).host;
    const ofOneHost = Array.from({ length: 12 }, (_, n) => `https://${host}/${n}.json`);
    expect(await statusesOf(ofOneHost)).toEqual([...Array(10).fill(400), 429, 429]);
  });

  test("is unknown while that is switched off, and discovery says what is on", async () => {
    const id = newId();
    const off = new Browser({ OAUTH_CLIENT_METADATA: "off" });
    expect((await off.open((await begin({ id }, { redirect_uri: callbackOf(id), ...asking() })).url)).status).toBe(400);
    expect(await discover()).toMatchObject({
      client_id_metadata_document_supported: true,
      registration_endpoint: `${ISSUER}/oauth/register`,
    });
  });
});

describe("a registration", () => {
  const register = async (body: unknown, variables: Record<string, string> = {}) =>
    callUnder(variables, { path: "/oauth/register", body, ip: newAddress() });
  const CURSOR = {
    client_name: "Cursor",
    redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };

  test("as Cursor sends it stores nothing, has no null, and is an app with a long id", async () => {
    const count = "SELECT count(*) AS n FROM oauth_clients WHERE kind = 'registration'";
    const [before] = await rowsOf(count);
    const { status, body } = await register(CURSOR);
    expect([status, body.token_endpoint_auth_method, Object.values(body).includes(null)]).toEqual([201, "none", false]);
    await Promise.all(Array.from({ length: 20 }, () => register(CURSOR)));
    expect(await rowsOf(count)).toEqual([before]);
    const id = body.client_id as string;
    expect(id.length).toBeLessThanOrEqual(1024);
    const { page } = await shown(id, { redirect_uri: CURSOR.redirect_uris[0] ?? "" });
    expect(page.html).toContain("cursor:");
    const done = await allowed(id, { redirect_uri: CURSOR.redirect_uris[0] ?? "" });
    const token = String(done.body["access_token"]);
    const access = await verifierOf(open.identifier).verify(token);
    expect(access.clientId).toBe(id);
    const listed = (await call("GET", "/auth/apps", { token: person.token })).body.data;
    const own = listed.find(({ client }: { client: { host: string } }) => client.host === "cursor:");
    expect(own.client.id).toMatch(/^dc_[A-Za-z0-9_-]{43}$/);
    await call("DELETE", `/auth/apps/${encodeURIComponent(own.id)}`, { token: person.token });
    const refusal = () =>
      expect(verifierOf(open.identifier).verify(token)).rejects.toMatchObject({ reason: "REVOKED" });
    await vi.waitFor(refusal, LISTED);
  });

  test.each<[what: string, body: unknown, error: string]>([
    ["no URL", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["a script in capitals", { redirect_uris: ["JavaScript:alert(1)", "data:text/html,x"] }, "invalid_redirect_uri"],
    ["http elsewhere", { redirect_uris: ["http://evil.example/callback"] }, "invalid_redirect_uri"],
    ["a fragment", { redirect_uris: ["https://a.example/#b"] }, "invalid_redirect_uri"],
    ["a name of two lines", { redirect_uris: ["https://a.example/b"], client_name: "a\nb" }, "invalid_client_metadata"],
    [
      "a long list",
      { redirect_uris: Array(5).fill(`https://a.example/${"b".repeat(400)}`) },
      "invalid_client_metadata",
    ],
    ["no object", "x", "invalid_client_metadata"],
  ])("with %s is refused", async (_what, body, error) => {
    const answer = await register(body);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  test("that was changed, or invented, is unknown, and so is its hash", async () => {
    const { client_id: id } = (await register(CURSOR)).body;
    for (const other of [`${id.slice(0, -2)}AA`, "dc_abc.def.ghi", `dc_${"a".repeat(43)}`]) {
      const url = (await begin({ id: other }, { redirect_uri: CURSOR.redirect_uris[0] ?? "", ...asking() })).url;
      expect((await new Browser().open(url)).status).toBe(400);
      const exchange = { client_id: other, grant_type: "authorization_code", code: "abc" };
      expect((await postTo("/oauth/token", exchange)).status).toBeGreaterThanOrEqual(400);
    }
  });

  test("is not there unless it is switched on", async () => {
    expect((await register(CURSOR, { OAUTH_REGISTRATION: "off" })).status).toBe(404);
  });
});
