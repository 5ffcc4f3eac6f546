/** Connections of the kind `directory`: they provision people, and sign nobody on. */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { vouchedDomain } from "../support/domains";
import { ready, require as requireSignOn } from "../support/enforcing";
import { newBrowser } from "../support/oauth";
import { bring, newToken, scim } from "../support/scim";
import { connect } from "../support/sign-on";
import { knownWord } from "../support/signed-on";

const write = ({ token }: Person, method: string, path: string, body: object = {}) =>
  call(method, `/tenant/connections${path}`, { token, body });
const make = async (owner: Person, fields: object = {}) =>
  (await write(owner, "POST", "", { name: "Our people", kind: "directory", ...fields })).body.data;

test("a directory alone is active once made, lacks nothing, and shows nothing of a sign-on", async () => {
  const owner = await signUpVerified();
  const made = await make(owner, { roles: { rules: [{ group: "Admins", role: "admin" }] } });
  expect(made).toMatchObject({ kind: "directory", state: "active", needsReview: false, problems: [], version: 1 });
  for (const name of ["oidc", "redirectUri", "initiateUri", "logoutUri", "jwksUri"])
    expect(made).not.toHaveProperty(name);
  const changed = await write(owner, "PATCH", `/${made.id}`, { name: "Everybody", roles: { default: null } });
  expect(changed.body.data).toMatchObject({ name: "Everybody", state: "active", version: 2, roles: { default: null } });
});

test.each<[string, object]>([
  ["an issuer", { oidc: { issuer: "https://id.issuer.example" } }],
  ["a secret", { oidc: { clientSecret: "a-secret" } }],
  ["nothing", { oidc: null }],
])("a directory alone takes no oidc, of %s", async (_, fields) => {
  const owner = await signUpVerified();
  const { id } = await make(owner);
  const answers = [
    await write(owner, "POST", "", { name: "a", kind: "directory", ...fields }),
    await write(owner, "PATCH", `/${id}`, fields),
  ];
  expect(answers.map(({ status, body }) => [status, body.details[0].path])).toEqual([
    [400, "oidc"],
    [400, "oidc"],
  ]);
  const listed = (await call("GET", "/tenant/connections", { token: owner.token })).body.data;
  expect(listed.map(({ version }: { version: number }) => version)).toEqual([1]);
});

test("its directory brings people until it is disabled, and again once it is activated, without a test", async () => {
  const owner = await signUpVerified();
  const { id } = await make(owner);
  const domain = await vouchedDomain(owner.tenantId);
  const directory = { owner, connection: { id, tenantId: owner.tenantId, domain }, token: await newToken(owner, id) };
  const person = await bring(directory);
  const members = async () => {
    const { data } = (await call("GET", "/members", { token: owner.token })).body;
    return data.some(({ email }: { email: string }) => email === person.userName);
  };
  expect(await members()).toBe(true);
  expect((await write(owner, "POST", `/${id}/disable`)).body.message).toBe("Connection disabled.");
  expect([(await scim(directory, "GET", "/Users")).status, await members()]).toEqual([403, true]);
  expect((await write(owner, "POST", `/${id}/activate`)).body.message).toBe("Connection activated.");
  expect((await scim(directory, "GET", "/Users")).body.totalResults).toBe(1);
});

test("it signs nobody on: no start, no tile, no address, no test, no keys", async () => {
  const owner = await signUpVerified();
  const { id } = await make(owner, { discovery: "domain" });
  const domain = await vouchedDomain(owner.tenantId);
  const browser = newBrowser();
  for (const query of [`?connection=${id}`, `?tenant=${owner.tenantId}`, `/${id}/initiate`]) {
    const { location } = await browser.send("GET", `/api/v1/auth/sign-on${query}`);
    expect([query, location]).toEqual([query, expect.stringContaining("error=sign_on_unavailable")]);
  }
  const asked = await call("POST", "/auth/sign-on/discover", { body: { email: `ada@${domain}` } });
  expect(asked.body.data.signOn).toBeNull();
  const tested = await write(owner, "POST", `/${id}/test`);
  expect([tested.status, tested.body.message]).toEqual([409, expect.stringContaining("no sign-on to test")]);
  const keys = await exports.default.fetch(`https://postern.test/.well-known/connections/${id}/jwks.json`);
  expect(keys.status).toBe(404);
});

test("beside it, the one connection that signs people on stays the tenant's only one", async () => {
  const owner = await signUpVerified();
  await make(owner);
  await knownWord(owner);
  const { location } = await newBrowser().send("GET", `/api/v1/auth/sign-on?tenant=${owner.tenantId}`);
  expect(location).toMatch(/^https:\/\/id\.issuer\.example\/authorize/);
});

test("it is no connection by which a tenant may require sign-on, nor the way in that must stay", async () => {
  const { owner, connection } = await ready();
  const { id } = await make(owner);
  await write(owner, "POST", `/${connection.id}/disable`);
  const without = await requireSignOn(owner, { require: "all" });
  expect([without.status, without.body.message]).toEqual([409, expect.stringMatching(/connection/)]);
  await env.DB.prepare("UPDATE connections SET state = 'active' WHERE id = ?").bind(connection.id).run();
  expect((await requireSignOn(owner, { require: "all" })).status).toBe(200);
  const last = await write(owner, "POST", `/${connection.id}/disable`);
  expect([last.status, last.body.message]).toEqual([409, expect.stringContaining("no other connection")]);
  expect((await write(owner, "POST", `/${id}/disable`)).status).toBe(200);
  expect((await write(owner, "DELETE", `/${id}`, { members: "keep" })).status).toBe(200);
});

test("the export has it in the form in which it is made again", async () => {
  const owner = await signUpVerified();
  await make(owner, { roles: { default: null, rules: [{ group: "Admins", role: "admin" }] } });
  const exported = (await call("GET", "/tenant/export", { token: owner.token })).body.data.connections;
  const again = await write(owner, "POST", "", exported[0]);
  expect([again.status, again.body.data.roles]).toEqual([201, exported[0].roles]);
});

test("an owner makes, changes, disables and activates one on the console's pages", async () => {
  const owner = await signUpVerified();
  const browser = await holding(owner);
  expect((await browser.get("/connections/new")).html).toContain('href="/console/connections/new/directory"');
  expect((await browser.get("/connections/new/directory")).html).not.toContain("Issuer");
  const { html } = await browser.follow(await browser.post("/connections/new/directory", { name: "Our people" }));
  expect(html).toContain("Make a token for its directory.");
  for (const text of ["Redirect URI", "Issuer", "/test", "Traces"]) expect(html).not.toContain(text);
  const id = html.match(/scim\/v2\/([\w-]{36})/)?.[1] ?? "";
  const at = `/connections/${id}`;
  expect((await browser.get("/connections")).html).toContain("Directory alone");
  expect((await browser.get(`${at}/edit`)).html).not.toContain("oidc.");
  const fields = { name: "Everybody", "roles.default": "", "roles.rules": "admin: Admins" };
  expect((await browser.follow(await browser.post(at, fields))).html).toContain("Everybody");
  const read = async () => (await call("GET", `/tenant${at}`, { token: owner.token })).body.data;
  expect((await read()).roles).toMatchObject({ default: null, rules: [{ group: "Admins", role: "admin" }] });
  expect((await browser.get(`${at}/disable`)).html).toContain("Its directory is refused");
  const disabled = (await browser.follow(await browser.post(`${at}/disable`))).html;
  const action = disabled.match(/action="\/console(\/directories\/[^"]+)"/)?.[1] ?? "";
  expect((await browser.follow(await browser.post(action))).html).toContain("can call now");
  expect((await read()).state).toBe("active");
});

test("one for OpenID Connect stays a draft without its provider", async () => {
  const owner = await signUpVerified();
  const draft = await connect(owner, { oidc: { clientId: null } });
  expect(draft).toMatchObject({ kind: "oidc", state: "draft" });
  expect(draft.redirectUri).toContain(draft.id);
});
