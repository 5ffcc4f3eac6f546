/** Setup links: opened once, confined to what they are for, and signing nobody in before an owner has looked. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { call, newEmail, type Person, setRole, signUpVerified } from "../support/client";
import { check, newDomain, setZone } from "../support/domains";
import { codeIn, mailTo } from "../support/mailbox";
import { claimsOf, newBrowser } from "../support/oauth";
import { newPlatformKey } from "../support/platform-keys";
import { setup } from "../support/portal";
import { MISSING } from "../support/routes";
import { newSetupLink, openedSetupLink, openLink } from "../support/setup-links";
import { arrive, connect, ISSUER, leave, open as openConnection, testConnection } from "../support/sign-on";
import { newTenant, outcomeOf, signOnWith, wordOf } from "../support/signed-on";

let owner: Person;
beforeAll(async () => {
  owner = await signUpVerified();
});

const newLink = (body: Record<string, unknown> = {}, person: Person = owner) => newSetupLink(person, body);
const use = openLink;
const opened = (body: Record<string, unknown> = {}, person: Person = owner) => openedSetupLink(person, body);

const PROVIDER = {
  name: "Acme",
  "oidc.issuer": ISSUER,
  "oidc.clientId": "an-id",
  "oidc.clientSecret": "a-secret",
};
const CHANGE = { ...PROVIDER, "oidc.clientAuth": "secret", "attributes.subject": "sub" };
async function recordOfAdded(post: Awaited<ReturnType<typeof opened>>["post"], { token }: Person, domain: string) {
  await post("/domains", { domain });
  const { data } = (await call("GET", "/tenant/domains", { token })).body;
  return data.find((one: { domain: string }) => one.domain === domain).record.value as string;
}
const hidden = (html: string, name: string) => html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1] ?? "";
const connectionOf = async (id: string) =>
  (await call("GET", `/tenant/connections/${id}`, { token: owner.token })).body.data;

describe("a setup link", () => {
  test("is not used up by looking at it, and of 20 at once opens one session", async () => {
    const { id, token } = await newLink();
    const { status, html, cookies } = await setup("GET", `/open?token=${token}`);
    expect([status, html.includes(`value="${token}"`), cookies]).toEqual([200, true, []]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => use(token)));
    expect(answers.map((one) => one.status).sort()).toEqual([303, ...Array(19).fill(410)]);
    const first = answers.find((one) => one.status === 303);
    expect([first?.location, first?.cookies[0]]).toEqual([
      "/setup",
      expect.stringMatching(/^__Host-postern-setup=[0-9a-f.-]{101}; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/),
    ]);
    const { data } = (await call("GET", "/audit?action=setup.link_opened", { token: owner.token })).body;
    expect(data.map(({ actor }: { actor: object }) => actor)).toEqual([expect.objectContaining({ kind: "setup", id })]);
  });

  test("opens nothing for whoever has it, stolen, without the code that is mailed to its address", async () => {
    const email = newEmail();
    const { token } = await newLink({ email });
    expect((await mailTo(email, /^Set up single sign-on$/)).text).toContain(`/setup/open?token=${token}`);
    const asked = await use(token);
    expect([asked.status, asked.cookies]).toEqual([200, []]);
    const state = hidden(asked.html, "state");
    const code = codeIn(await mailTo(email, /code/));
    const wrong = await use(token, { state, code: String((Number(code) + 1) % 1_000_000).padStart(6, "0") });
    expect([wrong.status, wrong.cookies, hidden(wrong.html, "state")]).toEqual([401, [], state]);
    const [own, other] = [newEmail(), await newLink({ email: newEmail() })];
    const theirs = hidden((await use((await newLink({ email: own })).token)).html, "state");
    const stolen = { state: theirs, code: codeIn(await mailTo(own, /code/)) };
    expect((await use(other.token, stolen)).status).toBe(401);
    expect((await use(token, { state, code })).status).toBe(303);
    expect((await use(token, { state, code })).status).toBe(410);
  });

  test("answers one page, whyever it does not work, and ends with the right of its maker", async () => {
    const person = await signUpVerified();
    const [revoked, expired, lost] = [await newLink({}, person), await newLink({}, person), await opened({}, person)];
    expect((await call("DELETE", `/tenant/setup-links/${revoked.id}`, { token: person.token })).body.message).toBe(
      "Setup link revoked.",
    );
    await env.DB.prepare("UPDATE portal_links SET expires_at = ? WHERE id = ?").bind(Date.now(), expired.id).run();
    const { token: key, id } = await newLink({}, person);
    expect((await lost.get("/connections")).status).toBe(200);
    await setRole(person, "admin");
    expect((await lost.get("/connections")).status).toBe(401);
    const pages = await Promise.all(
      [revoked.token, expired.token, key, `sl_${"0".repeat(40)}`, "x"].map((t) => use(t)),
    );
    expect(pages.map(({ status }) => status)).toEqual(Array(pages.length).fill(410));
    expect(new Set(pages.map(({ html }) => html.replaceAll(/nonce="[^"]*"/g, ""))).size).toBe(1);
    expect(id).not.toBe("");
  });

  test("is made by owners and platform keys for a tenant that they see, at most 20 that have not ended", async () => {
    const person = await signUpVerified();
    const make = (body: object) => call("POST", "/tenant/setup-links", { token: person.token, body });
    const foreign = await connect(owner);
    expect((await make({ may: ["connection"], connectionId: foreign.id })).body.details[0].path).toBe("connectionId");
    for (const body of [
      { may: [] },
      { may: ["connection", "connection"] },
      { may: ["roles"] },
      { may: ["domains"], ttlSeconds: 299 },
    ]) {
      expect((await make(body)).status).toBe(400);
    }
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => make({ may: ["domains"] })))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([...Array(20).fill(201), ...Array(5).fill(409)]);
    expect((await call("GET", "/tenant/setup-links", { token: person.token })).body.data).toHaveLength(20);
    expect((await call("GET", "/portal-links", { token: person.token })).body.data).toEqual([]);
    const { key } = await newPlatformKey(["connections.write", "connections.read"], { tenants: [owner.tenantId] });
    const byKey = (tenantId: string) =>
      call("POST", `/platform/tenants/${tenantId}/setup-links`, { token: key, body: { may: ["connection"] } });
    expect((await byKey(person.tenantId)).status).toBe(404);
    const { body } = await byKey(owner.tenantId);
    expect((await use(new URL(body.data.url).searchParams.get("token") ?? "")).status).toBe(303);
    const at = `/platform/tenants/${owner.tenantId}/setup-links`;
    expect((await call("GET", at, { token: key })).body.data[0]).toMatchObject({
      id: body.data.id,
      openedAt: expect.any(String),
    });
    expect((await call("DELETE", `${at}/${body.data.id}`, { token: key })).status).toBe(200);
  });
});

describe("its session", () => {
  /** What a setup session may ask for. Whoever adds a route here says why it is open to somebody without an account. */
  const OPEN = [
    "GET /setup/connections",
    "GET /setup/connections/:id",
    "GET /setup/connections/:id/edit",
    "GET /setup/connections/:id/traces/:trace",
    "GET /setup/connections/new",
    "GET /setup/connections/new/:provider",
    "GET /setup/directories",
    "GET /setup/directories/:id",
    "GET /setup/domains",
    "POST /setup/connections/:id",
    "POST /setup/connections/:id/test",
    "POST /setup/connections/new/:provider",
    "POST /setup/directories",
    "POST /setup/directories/:id/tokens",
    "POST /setup/directories/:id/tokens/:token/revoke",
    "POST /setup/domains",
    "POST /setup/domains/:domain/check",
    "POST /setup/domains/:domain/remove",
  ];

  test("may ask for these pages and forms alone, within what the link is for", async () => {
    const [all, domains] = [await opened(), await opened({ may: ["domains"] })];
    const routes = app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/setup/") && path !== "/setup/open")
      .map(({ method, path }) => `${method} ${path}`);
    const closed: string[] = [];
    for (const route of new Set(routes)) {
      const [method = "", path = ""] = route.split(" ");
      const at = path.slice("/setup".length).replace(":provider", "okta").replaceAll(/:\w+/g, MISSING);
      const { status, html } = await setup(method, at, { cookie: all.cookie });
      if (status === 404 && !/(Connection|Domain|Trace) not found/.test(html)) closed.push(route);
      const isOfDomains = path.startsWith("/setup/domains");
      const narrow = (await setup(method, at, { cookie: domains.cookie })).status;
      if (!closed.includes(route)) expect([route, narrow === 403]).toEqual([route, !isOfDomains]);
      expect([route, (await setup(method, at)).status]).toEqual([route, 401]);
    }
    expect([...new Set(routes)].filter((route) => !closed.includes(route)).sort()).toEqual(OPEN);
    for (const path of ["/people", "/tenants/security", "/api-keys"]) expect((await all.get(path)).status).toBe(404);
  });

  test("reaches one connection, which it makes or is for, and no traces of others", async () => {
    const existing = await connect(owner);
    const { trace } = await testConnection(owner, existing.id, { email: owner.email });
    const free = await opened();
    expect((await free.get(`/connections/${existing.id}`)).status).toBe(404);
    const made = await free.post("/connections/new/okta", PROVIDER);
    const id = made.location?.split("/").at(-1) ?? "";
    expect((await free.get(`/connections/${id}`)).html).toContain("An owner looks at this connection");
    expect((await free.post("/connections/new/okta", PROVIDER)).status).toBe(409);
    const bound = await opened({ connectionId: existing.id, may: ["connection"] });
    expect((await bound.get(`/connections/${id}`)).status).toBe(404);
    const { html } = await bound.get(`/connections/${existing.id}`);
    expect([html.includes("Nothing yet"), html.includes("Rules")]).toEqual([true, false]);
    expect((await bound.get(`/connections/${existing.id}/traces/${trace.id}`)).status).toBe(404);
    for (const one of [existing.id, id]) {
      await call("DELETE", `/tenant/connections/${one}`, { token: owner.token, body: { members: "keep" } });
    }
  });

  test("makes what signs nobody in before an owner activates it, with the domains that it has added", async () => {
    const person = await signUpVerified();
    const { post, get } = await opened({}, person);
    const domain = newDomain();
    const value = await recordOfAdded(post, person, domain);
    await setZone(domain, { one: [value], two: [value] });
    await post(`/domains/${domain}/check`);
    const domainNow = async () => (await call("GET", "/tenant/domains", { token: person.token })).body.data[0];
    expect(await domainNow()).toMatchObject({ state: "proved", needsReview: true });
    const id = (await post("/connections/new/okta", PROVIDER)).location?.split("/").at(-1) ?? "";
    const page = (await post(`/connections/${id}/test`)).html;
    const url = page.match(/https?:[^"]*ticket=[^"]*/)?.[0].replaceAll("&amp;", "&") ?? "";
    const browser = newBrowser();
    const departure = await leave(browser, url);
    const back = await arrive(browser, id, departure, {
      claims: claimsOf(departure, { email: `a@${domain}`, name: "A" }),
    });
    expect(back.pathname).toMatch(new RegExp(`^/setup/connections/${id}/traces/`));
    expect((await get(back.pathname.slice("/setup".length))).html).toContain("The test has succeeded.");
    expect((await get(`/connections/${id}`)).html).toMatch(/class="badge[^"]*">Tested</);
    const at = `/tenant/connections/${id}`;
    expect((await call("GET", at, { token: person.token })).body.data).toMatchObject({ needsReview: true });
    expect((await post(`/connections/${id}/activate`)).status).toBe(404);
    expect((await call("POST", `${at}/activate`, { token: person.token, body: {} })).status).toBe(200);
    expect([await domainNow(), (await call("GET", at, { token: person.token })).body.data]).toEqual([
      expect.objectContaining({ needsReview: false }),
      expect.objectContaining({ state: "active", needsReview: false }),
    ]);
    expect((await mailTo(person.email, /A connection waits/)).text).toContain("Acme");
  });

  test("stops an active connection that it changes until an owner looks, and changes no roles", async () => {
    const existing = await connect(owner);
    await openConnection(owner, existing.id);
    const start = async () =>
      (await newBrowser().send("GET", `/api/v1/auth/sign-on?connection=${existing.id}`)).location ?? "";
    expect(await start()).toContain(ISSUER.slice("https://".length));
    const { post } = await opened({ connectionId: existing.id });
    const at = `/connections/${existing.id}`;
    expect((await post(at, { ...CHANGE, "roles.default": "admin", "session.trustMfa": "yes" })).status).toBe(303);
    const changed = await connectionOf(existing.id);
    expect(changed).toMatchObject({ needsReview: true, roles: { default: "member" }, session: { trustMfa: false } });
    expect(await start()).toContain("error=sign_on_unavailable");
    await openConnection(owner, existing.id);
    expect(await connectionOf(existing.id)).toMatchObject({ state: "active", needsReview: false });
    await call("DELETE", `/tenant${at}`, { token: owner.token, body: { members: "keep" } });
  });

  test("adds domains by which an active connection makes nobody before an owner has checked them", async () => {
    const { owner: person, connection } = await newTenant();
    const { post } = await opened({ may: ["domains"] }, person);
    const domain = newDomain();
    const value = await recordOfAdded(post, person, domain);
    await setZone(domain, { one: [value], two: [value] });
    await post(`/domains/${domain}/check`);
    const comes = async () => outcomeOf(await signOnWith(wordOf(connection, { email: `ada@${domain}` })));
    expect(await comes()).toBe("domain_not_proved");
    expect((await check(person, domain)).body.data).toMatchObject({ state: "proved", needsReview: false });
    expect(await comes()).toBe("in");
  });

  test("removes no domain that counts already", async () => {
    const domain = newDomain();
    await call("POST", "/tenant/domains", { token: owner.token, body: { domain } });
    const { post } = await opened();
    expect((await post(`/domains/${domain}/remove`)).status).toBe(404);
    const own = newDomain();
    await post("/domains", { domain: own });
    expect((await post(`/domains/${own}/remove`)).status).toBe(303);
  });
});
