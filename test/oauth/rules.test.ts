/** What tenants and operators say of apps: who gets through, and what is kept meanwhile. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  Browser,
  begin,
  exchangeOf,
  finished,
  forgetClientsKey,
  newApp,
  postTo,
  proofOf,
  rowsOf,
  signInTo,
  userinfoOf,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { operator } from "../support/operators";
import { beginFeed, listen, openPlatform, published, run } from "../support/platform-feed";
import { newApi } from "../support/resources";

const SCOPE = "openid email offline_access";
let app: App;
let owner: Person;
let by: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, owner, by] = [await newApp(), await signUpVerified(), await operator()];
});

const say = (who: Person, state: unknown, client = app.id) =>
  call("PUT", `/tenant/apps/${client}`, { token: who.token, body: { state } });
const sayToAll = (state: unknown, client = app.id) =>
  call("PUT", `/platform/apps/${client}`, { token: by.token, body: { state } });

/** Where a browser that signs in to the app ends: its code, or the error. */
async function endOf(person: Person, browser = new Browser()): Promise<string | null> {
  const answered = await signInTo(await begin(app), person, browser);
  return answered.searchParams.has("code") ? "code" : answered.searchParams.get("error");
}

const refresh = (token: unknown) =>
  postTo("/oauth/token", { ...proofOf(app), grant_type: "refresh_token", refresh_token: String(token) });

describe.each<[by: string, say: (state: unknown) => ReturnType<typeof say>, key: () => string]>([
  ["a tenant", (state) => say(owner, state), () => `c:${app.id}:${owner.tenantId}`],
  ["operators", (state) => sayToAll(state), () => `c:${app.id}`],
])("an app that is blocked by %s", (_by, sayIt, key) => {
  test("lets nobody through, holds what it has, and goes on afterwards", async () => {
    const { flow, tokens } = await finished(app, owner, undefined, { scope: SCOPE });
    const late = await begin(app);
    const code = await signInTo(late, owner);
    expect((await sayIt("blocked")).body.message).toBe("App changed.");
    expect((await postTo("/oauth/token", exchangeOf(app, late, code))).body["error"]).toBe("invalid_grant");
    expect((await refresh(tokens.refresh_token)).body["error"]).toBe("invalid_grant");
    await expect(userinfoOf(flow, tokens.access_token, owner.userId)).rejects.toThrow();
    expect(await endOf(owner)).toBe("access_denied");
    expect(await rowsOf("SELECT 1 FROM revocations WHERE key = ?", key())).toHaveLength(1);
    expect((await sayIt(null)).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
    expect(await endOf(owner)).toBe("code");
  });
});

test("a tenant's block is no other tenant's", async () => {
  const other = await signUpVerified();
  await say(other, "blocked");
  expect([await endOf(other), await endOf(owner)]).toEqual(["access_denied", "code"]);
});

test("20 at once leave one rule and one event", async () => {
  const other = await signUpVerified();
  const answers = await Promise.all(Array.from({ length: 20 }, () => say(other, "blocked")));
  const recorded = "SELECT action FROM audit_events WHERE tenant_id = ? AND action LIKE 'app.%'";
  expect([new Set(answers.map(({ status }) => status)), await rowsOf(recorded, other.tenantId)]).toEqual([
    new Set([200]),
    [{ action: "app.blocked" }],
  ]);
});

test("the lists show what is allowed, by how many, and what is said", async () => {
  const other = await signUpVerified();
  const quiet = await newApp({ name: "Quiet" });
  await finished(app, other);
  await say(other, "allowed", quiet.id);
  expect((await call("GET", "/tenant/apps", { token: other.token })).body.data).toEqual([
    { client: { id: quiet.id, name: "Quiet" }, members: 0, state: "allowed" },
    { client: { id: app.id, name: "Shop" }, members: 1, state: null },
  ]);
  const exported = (await call("GET", "/tenant/export", { token: other.token })).body.data;
  expect(exported.apps).toHaveLength(2);
  const all = (await call("GET", "/platform/apps", { token: by.token })).body.data;
  expect(all).toContainEqual({ client: { id: quiet.id, name: "Quiet" }, state: null, lastUsedAt: null });
  const sessions = (await call("GET", "/auth/sessions", { token: other.token })).body.data;
  expect(sessions.map(({ apps }: { apps?: string[] }) => apps)).toEqual([undefined, ["Shop"]]);
});

test.each<[what: string, client: () => Promise<string>]>([
  ["an unknown one", async () => `${app.id.slice(0, -1)}!`],
  ["one that is for other tenants", async () => (await newApp({ tenants: [by.tenantId] })).id],
])("a tenant says nothing of %s", async (_what, client) => {
  expect((await say(owner, "blocked", await client())).status).toBe(404);
});

describe("a tenant that takes no apps which nobody has registered", () => {
  const say = async (who: Person, unlistedApps: string) =>
    (await call("PATCH", "/tenant/security", { token: who.token, body: { unlistedApps } })).status;

  test("turns them away, ends their tokens, and lets those through that it has allowed", async () => {
    const [person, api] = [await signUpVerified(), await newApi({ unlisted: true })];
    const host = `good-${crypto.randomUUID()}.apps.example`;
    const unlisted = { id: `https://${host}/client.json` };
    const redirectUri = `https://${host}/callback`;
    const asked = { redirect_uri: redirectUri, scope: "notes.read", resource: api.identifier };
    const browser = new Browser();
    const flow = await begin(unlisted, asked);
    const answered = await signInTo(flow, person, browser);
    const form = { ...exchangeOf(unlisted, flow, answered), redirect_uri: redirectUri, resource: api.identifier };
    const { body } = await postTo("/oauth/token", form);
    let token = body["refresh_token"];
    const renews = async () => {
      const grant = { client_id: unlisted.id, grant_type: "refresh_token", refresh_token: String(token) };
      const renewed = await postTo("/oauth/token", grant);
      token = renewed.body["refresh_token"] ?? token;
      return renewed.status === 200;
    };
    const isTurnedAway = async () =>
      (await browser.follow((await begin(unlisted, asked)).url)).page.html.includes("access_denied");
    const seen: [boolean, boolean][] = [[await renews(), await isTurnedAway()]];
    for (const unlistedApps of ["block", "listed", "allow", "listed"]) {
      expect(await say(person, unlistedApps)).toBe(200);
      seen.push([await renews(), await isTurnedAway()]);
    }
    const allow = { token: person.token, body: { state: "allowed" } };
    await call("PUT", `/tenant/apps/${encodeURIComponent(unlisted.id)}`, allow);
    seen.push([await renews(), await isTurnedAway()]);
    const [open, shut] = [
      [true, false],
      [false, true],
    ];
    expect(seen).toEqual([open, shut, shut, open, shut, open]);
    const key = `c:${unlisted.id}:${person.tenantId}`;
    expect(await rowsOf("SELECT 1 FROM revocations WHERE key = ?", key)).not.toEqual([]);
    expect(await endOf(person)).toBe("code");
  });
});

test("a state that there is not is refused", async () => {
  expect([(await say(owner, "held")).status, (await sayToAll("allowed")).status]).toEqual([400, 400]);
});

test("the product learns what people allow and take back, in their order", async () => {
  await openPlatform();
  await beginFeed();
  await listen(["grant.*"]);
  const other = await signUpVerified();
  await finished(app, other);
  await call("DELETE", `/auth/apps/${app.id}.${other.tenantId}`, { token: other.token });
  await run();
  const events = await published(other.userId);
  const grant = {
    userId: other.userId,
    userExternalId: null,
    tenantId: other.tenantId,
    tenantExternalId: null,
    clientId: app.id,
    clientName: "Shop",
    scopes: ["email", "openid", "profile", "tenant"],
  };
  const sorted = events.map(({ type, payload }) => [
    type,
    { ...payload.grant, scopes: payload.grant.scopes.toSorted() },
  ]);
  expect(sorted).toEqual([
    ["grant.created", grant],
    ["grant.revoked", grant],
  ]);
  expect(events.map(({ payload }) => payload.sequence)).toEqual([1, 2]);
});
