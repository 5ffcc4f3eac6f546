/** Connections to tenants' own identity providers: what they may be, and how they come to sign people on. */
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { PLATFORM_SCOPE_TEXTS } from "../../src/base/schemas/platform-scopes";
import { call, type Person, signUpVerified } from "../support/client";
import { newDomain, vouchedDomain } from "../support/domains";
import { claimsOf, newBrowser } from "../support/oauth";
import { callUnder } from "../support/overrides";
import { newPlatformKey } from "../support/platform-keys";
import { arrive, connect, ISSUER, leave, open, testConnection, testerOf } from "../support/sign-on";
import { moveInto } from "../support/signed-on";

let owner: Person;
beforeAll(async () => {
  owner = await signUpVerified();
});

const published = (path: string) => exports.default.fetch(`https://postern.test${path}`);
const write = (method: string, path: string, body: object = {}) =>
  call(method, `/tenant/connections${path}`, { token: owner.token, body });
const read = async (id: string) => (await call("GET", `/tenant/connections/${id}`, { token: owner.token })).body.data;

test("a connection is a draft until all is given, and shows what lacks and where it is reached", async () => {
  const { status, body } = await write("POST", "", { name: "Okta", provider: "okta" });
  expect([status, body.data.state]).toEqual([201, "draft"]);
  const { id, redirectUri, problems } = body.data;
  expect(redirectUri).toBe(`https://postern.test/api/v1/auth/sign-on/${id}/callback`);
  expect(problems.map(({ path }: { path: string }) => path)).toEqual([
    "oidc.issuer",
    "oidc.clientId",
    "oidc.clientSecret",
  ]);
  const oidc = { issuer: `${ISSUER}/`, clientId: "an-id", clientSecret: "a secret of 25 characters" };
  const changed = (await write("PATCH", `/${id}`, { oidc })).body.data;
  expect(changed).toMatchObject({
    state: "ready",
    version: 2,
    oidc: { issuer: ISSUER, clientSecret: { last4: "ters" } },
  });
  expect(JSON.stringify(await read(id))).not.toContain("a secret of");
  expect((await write("POST", `/${id}/activate`)).body.message).toContain("Test the connection");
  expect((await write("DELETE", `/${id}`)).status).toBe(400);
  expect((await write("DELETE", `/${id}`, { members: "keep" })).body.message).toBe("Connection deleted.");
});

test.each<[string, object, string]>([
  ["an unknown member", { oidc: { issuer: ISSUER, secret: "x" } }, "oidc"],
  ["an issuer without TLS", { oidc: { issuer: "ftp://id.issuer.example" } }, "oidc.issuer"],
  ["an issuer with a query", { oidc: { issuer: `${ISSUER}?a=b` } }, "oidc.issuer"],
  ["an issuer with a user", { oidc: { issuer: "https://a@id.issuer.example" } }, "oidc.issuer"],
  ["an issuer that calls itself another", { oidc: { issuer: "https://other.issuer.example" } }, "oidc.issuer"],
  ["an issuer that passes for Google", { oidc: { issuer: "https://google.issuer.example" } }, "oidc.issuer"],
  ["an issuer that is down", { oidc: { issuer: "https://down.issuer.example" } }, "oidc.issuer"],
  ["an issuer with too much to say", { oidc: { issuer: "https://huge.issuer.example" } }, "oidc.issuer"],
  ["an issuer that has moved", { oidc: { issuer: "https://moved.issuer.example" } }, "oidc.issuer"],
  ["an issuer whose page is a script", { oidc: { issuer: "https://script.issuer.example" } }, "oidc.issuer"],
  ["scopes without openid", { oidc: { scopes: "email" } }, "oidc.scopes"],
  ["a rule that makes owners", { roles: { rules: [{ group: "a", role: "owner" }] } }, "roles.rules.0.role"],
  ["a subject that only Entra has", { attributes: { subject: "oid" } }, "attributes.subject"],
])("%s is refused, and nothing is stored", async (_, fields, path) => {
  const before = (await call("GET", "/tenant/connections", { token: owner.token })).body.data.length;
  const { status, body } = await write("POST", "", { name: "Okta", ...fields });
  expect([status, body.details[0].path]).toEqual([400, path]);
  // Nothing that was read comes back: the service can reach what whoever asks cannot.
  expect(body.details[0].message).not.toMatch(/elsewhere|google|javascript|alert|there\/|xxx/);
  expect((await call("GET", "/tenant/connections", { token: owner.token })).body.data.length).toBe(before);
});

test.each([
  "http://id.issuer.example",
  "https://10.0.0.1",
  "https://[::1]",
  "https://localhost",
  "https://idp.internal",
  "https://postern.test",
  "https://8.8.8.8",
])("%s is no issuer where private addresses are refused", async (issuer) => {
  const request = { method: "POST", path: "/api/v1/tenant/connections", token: owner.token };
  const answer = await callUnder({ WEBHOOK_EGRESS: "public" }, { ...request, body: { name: "a", oidc: { issuer } } });
  expect([answer.status, answer.body.details[0].path]).toEqual([400, "oidc.issuer"]);
});

test("this service is no issuer, also where private addresses are accepted", async () => {
  const { status, body } = await write("POST", "", { name: "a", oidc: { issuer: "https://postern.test" } });
  expect([status, body.details[0].message]).toEqual([400, "Must not point to this service"]);
});

describe("a connection that is complete", () => {
  test("is activated after a good test of this version, and ends", async () => {
    const { id } = await connect(owner);
    const refused = await testConnection(owner, id, { aud: "another" });
    expect(refused.trace).toMatchObject({ outcome: "refused", reason: "audience", kind: "test" });
    expect(refused.trace.message).toContain("another");
    expect((await write("POST", `/${id}/activate`)).status).toBe(409);
    const { trace, back } = await testConnection(owner, id, { ...(await testerOf(owner)), groups: ["a"] });
    expect(trace).toMatchObject({ outcome: "succeeded", claims: { groups: ["a"] } });
    expect(back.pathname).toBe(`/console/connections/${id}/traces/${trace.id}`);
    expect((await read(id)).testedAt).not.toBeNull();
    await write("PATCH", `/${id}`, { name: "Other" });
    expect((await write("POST", `/${id}/activate`)).status).toBe(409);
    await open(owner, id);
    expect((await read(id)).state).toBe("active");
    expect((await write("POST", `/${id}/disable`)).status).toBe(200);
    expect((await read(id)).state).toBe("disabled");
    await write("DELETE", `/${id}`, { members: "keep" });
    const left = await env.DB.prepare("SELECT count(*) AS n FROM sign_on_traces WHERE connection_id = ?").bind(id);
    expect(await left.first("n")).toBe(0);
  });

  test("keeps what a change leaves out, takes null as the default, and notices that nothing changes", async () => {
    const { id, version } = await connect(owner, { session: { hours: 8 }, roles: { default: "viewer" } });
    const { data } = (await write("PATCH", `/${id}`, { session: { acrValues: ["a"] }, roles: { default: null } })).body;
    expect([data.session.hours, data.session.acrValues, data.roles.default]).toEqual([8, ["a"], null]);
    const again = (await write("PATCH", `/${id}`, { session: { hours: null } })).body.data;
    expect([again.session.hours, again.session.acrValues]).toEqual([12, ["a"]]);
    expect((await write("PATCH", `/${id}`, { session: { hours: 12 } })).body.data.version).toBe(version + 2);
    await write("DELETE", `/${id}`, { members: "remove" });
  });

  test("begins a new generation with another issuer, and needs a test again", async () => {
    const { id } = await connect(owner);
    await open(owner, id);
    const generation = async () =>
      env.DB.prepare("SELECT generation FROM connections WHERE id = ?").bind(id).first("generation");
    const { data } = (await write("PATCH", `/${id}`, { oidc: { issuer: "https://slashed.issuer.example" } })).body;
    expect([data.state, data.oidc.issuer, await generation()]).toEqual(["ready", "https://slashed.issuer.example/", 2]);
    await write("DELETE", `/${id}`, { members: "keep" });
  });

  test("with Google needs a domain that is proved, in its test and when it is activated", async () => {
    const mine = await signUpVerified();
    const { token } = mine;
    const { id, problems } = await connect(mine, { oidc: { issuer: "https://accounts.google.com" } });
    const message = "Prove the domain of your organisation at Google";
    expect(problems).toEqual([{ path: "domains", message }]);
    const domain = await vouchedDomain(mine.tenantId);
    const of = (hd: string) =>
      testConnection(mine, id, { email: `ada-${crypto.randomUUID()}@${domain}`, name: "Ada", hd });
    expect((await of("elsewhere.example")).trace.reason).toBe("hd");
    expect((await of(domain)).trace.outcome).toBe("succeeded");
    const setState = (state: string) =>
      env.DB.prepare("UPDATE domains SET state = ? WHERE tenant_id = ?").bind(state, mine.tenantId).run();
    const at = `/tenant/connections/${id}`;
    const activate = () => call("POST", `${at}/activate`, { token, body: {} });
    await setState("lost");
    expect((await activate()).body.message).toBe(`${message} first.`);
    await setState("proved");
    expect((await activate()).status).toBe(200);
    expect((await call("GET", at, { token })).body.data.problems).toEqual([]);
  });

  test("is exported as it is made, without its secret", async () => {
    const mine = await signUpVerified();
    const roles = { default: null, rules: [{ group: "Admins", role: "admin" }] };
    await connect(mine, { roles, session: { acrValues: ["gold"] } });
    const domain = await vouchedDomain(mine.tenantId);
    const { connections, domains } = (await call("GET", "/tenant/export", { token: mine.token })).body.data;
    expect(connections).toHaveLength(1);
    expect(domains).toContainEqual(expect.objectContaining({ domain, state: "proved" }));
    expect(JSON.stringify(connections)).not.toContain("a-secret");
    const { body } = await write("POST", "", connections[0]);
    expect(body.data).toMatchObject(connections[0]);
    await write("DELETE", `/${body.data.id}`, { members: "keep" });
  });

  test("proves itself with a key of its own, which it publishes", async () => {
    const { id, jwksUri } = await connect(owner, { oidc: { clientAuth: "private_key_jwt", clientSecret: null } });
    const { pathname } = new URL(jwksUri);
    const keys = await (await published(pathname)).json<{ keys: object[] }>();
    expect(keys.keys).toEqual([expect.objectContaining({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" })]);
    expect(keys.keys[0]).not.toHaveProperty("d");
    expect((await published(pathname.replace(id, crypto.randomUUID()))).status).toBe(404);
    await write("DELETE", `/${id}`, { members: "keep" });
  });
});

describe("a connection that a platform key has made", () => {
  test("speaks for people of its tenant, in sessions confined to it, and for no owner", async () => {
    const { key: token } = await newPlatformKey(["connections.write"]);
    const [mine, other] = [await signUpVerified(), await signUpVerified()];
    const at = `/platform/tenants/${mine.tenantId}/connections`;
    const oidc = { issuer: ISSUER, clientId: "an-id", clientSecret: "a-secret" };
    const made = await call("POST", at, { token, body: { name: "Acme", oidc } });
    const { id } = made.body.data;
    const domain = newDomain();
    const vouched = { token, body: { domain, proved: true } };
    expect((await call("POST", `/platform/tenants/${mine.tenantId}/domains`, vouched)).status).toBe(201);
    const exchange = async (address: string, email: string) => {
      const browser = newBrowser();
      const departure = await leave(browser, address);
      const claims = claimsOf(departure, { sub: crypto.randomUUID(), email, name: "Ada" });
      const code = (await arrive(browser, id, departure, { claims })).searchParams.get("code");
      return browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
    };
    const { url } = (await call("POST", `${at}/${id}/test`, { token, body: {} })).body.data;
    await exchange(url, `tester@${domain}`);
    expect((await call("POST", `${at}/${id}/activate`, { token, body: {} })).status).toBe(200);
    const stranger = await moveInto({ id, tenantId: mine.tenantId, domain }, other);
    const signedOn = await exchange(`?connection=${id}`, stranger.email);
    const confined = signedOn.body.data.accessToken;
    expect((await call("GET", "/auth/me", { token: confined })).body.data.id).toBe(stranger.userId);
    expect((await call("GET", "/tenants", { token: confined })).body.data).toMatchObject([{ id: mine.tenantId }]);
    const home = { token: confined, body: { tenantId: other.tenantId } };
    expect((await call("POST", "/auth/switch-tenant", home)).status).toBe(403);
    const boss = await moveInto({ id, tenantId: mine.tenantId, domain }, mine);
    const asked = await exchange(`?connection=${id}`, boss.email);
    expect([asked.status, asked.body.code]).toEqual([409, "CONFLICT"]);
    expect(PLATFORM_SCOPE_TEXTS["connections.write"]).toContain("speak for its people");
  });
});

test("connections stop at the cap, also in parallel", async () => {
  const other = await signUpVerified();
  const make = () => call("POST", "/tenant/connections", { token: other.token, body: { name: "Okta" } });
  const statuses = (await Promise.all(Array.from({ length: 10 }, make))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(5);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
});
