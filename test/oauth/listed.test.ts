/** Apps by documents that operators have listed, with their copies of these. */
import { beforeAll, expect, test } from "vitest";
import { askingAt, callbackOf, newAgentId as newId, shownTo } from "../support/agents";
import { answerOn, Browser, clientsKey, exchangeOf, forgetClientsKey, postTo } from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { type Api, newApi } from "../support/resources";

let open: Api;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [open, person] = [await newApi({ unlisted: true }), await signUpVerified()];
});

const LISTED_ONLY = { OAUTH_CLIENT_METADATA: "listed" };
const documentOf = (id: string) => ({ client_id: id, client_name: "Helper", redirect_uris: [callbackOf(id)] });
const list = async (body: Record<string, unknown>, method = "POST", path = "") =>
  call(method, `/platform/clients${path}`, { token: await clientsKey(), ...(method === "GET" ? {} : { body }) });
const at = (id: string) => `/${encodeURIComponent(id)}`;
const pageOf = async (id: string, variables: Record<string, string> = LISTED_ONLY) =>
  (await shownTo(person, id, askingAt(open), new Browser(variables))).page;

test("a listed app is the only one, before and after its document was read, and nothing else is fetched", async () => {
  const [id, other] = [newId(), newId()];
  expect((await list({ clientId: id })).body.data).toMatchObject({ id, kind: "metadata", owner: "platform" });
  expect([(await pageOf(id)).html.includes('name="ask"'), (await pageOf(other)).status]).toEqual([true, 400]);
  // Read under another setting.
  expect((await pageOf(other, {})).html).toContain('name="ask"');
  expect((await pageOf(other)).status).toBe(400);
  expect((await list({}, "DELETE", at(id))).body.message).toBe("Client deleted.");
  expect((await pageOf(id)).status).toBe(400);
});

test("a listed app keeps its tokens only while it is listed, where nobody else is let in", async () => {
  const id = newId();
  const { page, flow, browser } = await shownTo(person, id, askingAt(open));
  const answered = new URL((await answerOn(browser, page.html, "allow")).next ?? "");
  const exchange = { ...exchangeOf({ id }, flow, answered), redirect_uri: callbackOf(id) };
  const { body } = await postTo("/oauth/token", exchange);
  const form = { client_id: id, grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
  const refresh = () => callUnder(LISTED_ONLY, { path: "/oauth/token", form });
  expect((await refresh()).body.error).toBe("invalid_client");
  expect((await list({ clientId: id })).status).toBe(201);
  expect((await refresh()).status).toBe(200);
});

test("a listed app has a copy that serves when the document cannot be fetched, and is changed", async () => {
  const id = newId("missing");
  expect((await pageOf(id, {})).status).toBe(400);
  expect((await list({ clientId: id })).body.details).toMatchObject([{ path: "clientId" }]);
  expect((await list({ clientId: id, document: documentOf(id) })).status).toBe(201);
  // The host is asked 10 times a minute at most, and the copy serves meanwhile too.
  for (const variables of [LISTED_ONLY, {}, LISTED_ONLY, {}]) {
    expect((await pageOf(id, variables)).html).toContain('name="ask"');
  }
  const changed = { ...documentOf(id), client_name: "Assistant" };
  expect((await list({ clientId: id, document: documentOf(id) })).status).toBe(200);
  expect((await list({ clientId: id, document: changed })).status).toBe(409);
  expect((await list({ document: changed }, "PATCH", at(id))).status).toBe(200);
  expect((await list({}, "GET", at(id))).body.data.document).toEqual(changed);
  expect((await pageOf(id)).html).toContain("Assistant");
});

test.each<[what: string, path: string, fields: (id: string) => Record<string, unknown>]>([
  ["another id", "document", (id) => ({ document: { ...documentOf(id), client_id: `${id}x` } })],
  ["another host", "document", (id) => ({ document: { ...documentOf(id), redirect_uris: ["https://evil.example/"] } })],
  ["a long copy", "document", (id) => ({ document: { ...documentOf(id), padding: "x".repeat(5_200) } })],
  ["a setting", "pkce", () => ({ pkce: "optional" })],
  ["a name", "name", () => ({ name: "Helper" })],
  ["http", "clientId", () => ({ clientId: "http://good.apps.example/app.json" })],
])("a listed app is refused with %s", async (_what, path, fields) => {
  const id = newId();
  const { status, body } = await list({ clientId: id, ...fields(id) });
  expect([status, body.details?.[0]?.path]).toEqual([400, path]);
});

test("a listed app is taken by a tenant that takes listed ones alone", async () => {
  const [id, other] = [newId(), newId()];
  await list({ clientId: id });
  const by = await signUpVerified();
  await call("PATCH", "/tenant/security", { token: by.token, body: { unlistedApps: "listed" } });
  const endOf = async (one: string) => (await shownTo(by, one, askingAt(open))).page.html;
  expect([(await endOf(id)).includes('name="ask"'), (await endOf(other)).includes("access_denied")]).toEqual([
    true,
    true,
  ]);
});
