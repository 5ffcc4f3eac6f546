/** Signing on with a tenant's provider: the trip there and back, with providers that behave and others. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { openResult } from "../../src/identity/providers/sign-in-result";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { call, type Person, signUpVerified } from "../support/client";
import { type Browser, claimsOf, departureOf, newBrowser, newPersonAtProvider, type Script } from "../support/oauth";
import { arrive, connect, ISSUER, leave, open } from "../support/sign-on";

let owner: Person;
let id = "";
beforeAll(async () => {
  owner = await signUpVerified();
  ({ id } = await connect(owner));
  await open(owner, id);
});

const depsOf = () => createDeps(env, createExecutionContext());

afterEach(() => {
  vi.useRealTimers();
});

/** A sign-on by somebody of the provider. Returns where the browser goes, and the browser. */
async function signOn(script: Omit<Script, "claims"> & { claims?: object } = {}, more: Record<string, string> = {}) {
  const browser = newBrowser();
  const departure = await leave(browser, `?connection=${id}&to=/orders`);
  const claims = { ...claimsOf(departure, newPersonAtProvider()), ...script.claims };
  return { browser, back: await arrive(browser, id, departure, { ...script, claims }, more) };
}

/** The trace of a refusal. */
const traceOf = async (back: URL) =>
  (await call("GET", `/tenant/connections/${id}/traces/${back.searchParams.get("trace")}`, { token: owner.token })).body
    .data;

test("a sign-on leaves with what the connection asks for, and comes back with a code that only the browser opens", async () => {
  const browser = newBrowser();
  const departure = await leave(browser, `?tenant=${owner.tenantId}&to=/orders&login_hint=ada@example.com`);
  expect(Object.fromEntries(departure.url.searchParams)).toMatchObject({
    client_id: "an-id",
    redirect_uri: `https://postern.test/api/v1/auth/sign-on/${id}/callback`,
    response_type: "code",
    code_challenge_method: "S256",
    login_hint: "ada@example.com",
  });
  const person = newPersonAtProvider({ groups: ["a"] });
  const back = await arrive(browser, id, departure, { claims: claimsOf(departure, person) });
  expect([back.origin + back.pathname, back.searchParams.get("to")]).toEqual([`${env.APP_URL}/oauth`, "/orders"]);
  const sealed = decodeURIComponent(browser.jar.get("__Host-postern-oauth-outcome") ?? "");
  const code = back.searchParams.get("code") ?? "";
  expect(await openResult<SignedOn>(await depsOf(), "signed on", sealed, code)).toMatchObject({
    connectionId: id,
    tenantId: owner.tenantId,
    generation: 1,
    subject: person.sub,
    email: person.email,
    emailVerified: true,
    role: { role: "member", rule: null },
  });
  expect(await openResult(await depsOf(), "signed on", sealed, `${code}x`)).toBeNull();
  expect(await openResult(await depsOf(), "outcome", sealed, code)).toBeNull();
});

test.each<[string, Parameters<typeof signOn>[0], string]>([
  ["is signed by another key", { signedBy: "foreign" }, "bad_signature"],
  ["is signed by nobody", { signedBy: "nobody" }, "bad_signature"],
  ["says that it is signed by nobody", { signedBy: "nobody", header: { alg: "none" } }, "unknown_key"],
  ["is signed with the client's secret", { signedBy: "the secret", header: { alg: "HS256" } }, "unknown_key"],
  ["is signed with the public key", { signedBy: "the public key", header: { alg: "HS256" } }, "unknown_key"],
  ["names a key that there is not", { header: { kid: "key-9" } }, "unknown_key"],
  ["is by another algorithm than its key's", { header: { alg: "PS256" } }, "unknown_key"],
  ["is of another issuer", { claims: { iss: "https://other.example" } }, "issuer"],
  ["is for another app", { claims: { aud: "other" } }, "audience"],
  ["is of another sign-on", { claims: { nonce: "other" } }, "nonce"],
  ["cannot be had", { status: 500 }, "token_endpoint_failed"],
  ["is no token", { body: '{"access_token":"a","id_token":"x"}' }, "bad_signature"],
  ["is missing", { body: '{"access_token":"a"}' }, "token_endpoint_failed"],
  [
    "comes with somebody else's userinfo",
    { claims: { name: undefined }, userinfo: { sub: "b" } },
    "token_endpoint_failed",
  ],
])("an ID token that %s is refused, with a trace", async (_, script, reason) => {
  const { browser, back } = await signOn(script);
  expect([back.searchParams.get("error"), back.searchParams.get("code")]).toEqual(["sign_on_refused", null]);
  expect(await traceOf(back)).toMatchObject({ kind: "sign-on", outcome: "refused", reason });
  expect([...browser.jar.keys()]).toEqual([]);
});

test.each<[string, Record<string, string>, string]>([
  ["another issuer", { iss: "https://other.example" }, "issuer"],
  ["a refusal", { error: "access_denied" }, "access_denied"],
  ["a text for an error", { error: "<b>Read me</b>" }, "access_denied"],
])("an answer with %s is refused, with a trace that quotes no text of it", async (_, more, reason) => {
  const trace = await traceOf((await signOn({}, more)).back);
  expect(trace).toMatchObject({ step: "answer", reason });
  expect(trace.message).not.toContain("Read me");
});

test("an answer of one connection is none to another, though issuer and client are the same", async () => {
  const twin = await connect(owner);
  await open(owner, twin.id);
  const browser = newBrowser();
  const departure = await leave(browser, `?connection=${id}`);
  const back = await arrive(browser, twin.id, departure, { claims: claimsOf(departure, newPersonAtProvider()) });
  expect(back.searchParams.get("error")).toBe("expired");
  await call("DELETE", `/tenant/connections/${twin.id}`, { token: owner.token, body: { members: "keep" } });
});

test("an answer with another state, in another browser, or after a change of the connection is too late", async () => {
  const { id: other } = await connect(owner);
  const errorOf = async (change: () => Promise<unknown>, browser = newBrowser(), state?: string) => {
    await open(owner, other);
    const begun = newBrowser();
    const departure = await leave(begun, `?connection=${other}`);
    await change();
    const from = state === undefined ? browser : begun;
    const back = await arrive(from, other, departure, { claims: claimsOf(departure) }, state ? { state } : {});
    return back.searchParams.get("error");
  };
  const change = (path: string, body: object, method = "POST") =>
    call(method, `/tenant/connections/${other}${path}`, { token: owner.token, body });
  expect(await errorOf(async () => {})).toBe("expired");
  expect(await errorOf(async () => {}, undefined, "x".repeat(43))).toBe("expired");
  const renamed = newBrowser();
  await open(owner, other);
  const departure = await leave(renamed, `?connection=${other}`);
  await change("", { name: "Other" }, "PATCH");
  const late = await arrive(renamed, other, departure, { claims: claimsOf(departure) });
  expect(late.searchParams.get("error")).toBe("expired");
  await change("", { members: "keep" }, "DELETE");
});

test("a provider that changes its keys meanwhile is understood, and an unknown key is looked for once in ten seconds", async () => {
  const rotating = await connect(owner, { oidc: { issuer: "https://rotating.issuer.example" } });
  await open(owner, rotating.id);
  const back = async (header: object, signedBy: "own" | "foreign") => {
    const browser = newBrowser();
    const departure = await leave(browser, `?connection=${rotating.id}`);
    const claims = claimsOf(departure, newPersonAtProvider());
    return arrive(browser, rotating.id, departure, { claims, header: { ...header }, signedBy });
  };
  expect((await back({ kid: "key-1" }, "own")).searchParams.get("error")).toBeNull();
  expect((await back({ kid: "key-2" }, "foreign")).searchParams.get("error")).toBe("sign_on_refused");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11_000 });
  expect((await back({ kid: "key-2" }, "foreign")).searchParams.get("error")).toBeNull();
  vi.useRealTimers();
  await call("DELETE", `/tenant/connections/${rotating.id}`, { token: owner.token, body: { members: "keep" } });
});

test("a start without an active connection leads to the client, with an error", async () => {
  const draft = (await call("POST", "/tenant/connections", { token: owner.token, body: { name: "Draft" } })).body.data;
  const queries = ["", "?connection=x", `?connection=${crypto.randomUUID()}`, `?connection=${draft.id}`, "?tenant=x"];
  for (const query of [...queries, "?ticket=x"]) {
    const { location } = await newBrowser().send("GET", `/api/v1/auth/sign-on${query}`);
    expect([query, location]).toEqual([query, `${env.APP_URL}/oauth?error=sign_on_unavailable`]);
  }
  await call("DELETE", `/tenant/connections/${draft.id}`, { token: owner.token, body: { members: "keep" } });
});

test("a page of the provider starts a sign-on, but not for another issuer, and leads nowhere else", async () => {
  const path = `/api/v1/auth/sign-on/${id}/initiate`;
  const byQuery = (browser: Browser, fields: Record<string, string>) =>
    browser.send("GET", `${path}?${new URLSearchParams(fields)}`);
  const byForm = (browser: Browser, form: Record<string, string>) =>
    browser.send("POST", path, { form, origin: ISSUER });
  const { origin } = new URL(env.APP_URL);
  const ways = [
    { start: byQuery, foreignUrl: "https://evil.example/" },
    { start: byForm, foreignUrl: `${env.APP_URL}/../evil` },
  ];
  for (const { start, foreignUrl } of ways) {
    const browser = newBrowser();
    const foreign = { iss: ISSUER, login_hint: "ada@example.com", target_link_uri: foreignUrl };
    const departure = departureOf((await start(browser, foreign)).location);
    expect([departure.url.host, departure.url.searchParams.get("login_hint")]).toEqual([
      "id.issuer.example",
      "ada@example.com",
    ]);
    const back = await arrive(browser, id, departure, { claims: claimsOf(departure, newPersonAtProvider()) });
    expect([back.searchParams.has("code"), back.searchParams.get("to")]).toEqual([true, null]);
    const own = await start(browser, { iss: ISSUER, target_link_uri: `${env.APP_URL}/orders?of=me#1` });
    const there = departureOf(own.location);
    const arrived = await arrive(browser, id, there, { claims: claimsOf(there, newPersonAtProvider()) });
    expect(arrived.searchParams.get("to")).toBe(new URL(`${env.APP_URL}/orders?of=me#1`).href.slice(origin.length));
    const wrong = await start(browser, { iss: "https://other.example" });
    expect([wrong.status, wrong.body.details]).toEqual([400, [expect.objectContaining({ path: "iss" })]]);
  }
});

test.each<[string, string]>([
  ["tokenEndpoint", "token"],
  ["jwksUri", "id_token"],
  ["userinfoEndpoint", "userinfo"],
])("%s is judged again at each use", async (endpoint, step) => {
  const browser = newBrowser({ WEBHOOK_EGRESS: "public" });
  const departure = await leave(browser, `?connection=${id}`);
  const set = (value: string) =>
    env.DB.prepare("UPDATE connections SET document = json_set(document, ?, ?) WHERE id = ?")
      .bind(`$.${endpoint}`, value, id)
      .run();
  const before = await env.DB.prepare("SELECT document ->> ? AS url FROM connections WHERE id = ?")
    .bind(endpoint, id)
    .first<string>("url");
  await set("https://10.0.0.1/");
  const back = await arrive(browser, id, departure, { claims: claimsOf(departure) });
  await set(before ?? "");
  expect(await traceOf(back)).toMatchObject({ step, reason: "endpoint_refused" });
});

test("of more than 100 refusals, or 50 tests, the oldest are written over, and good sign-ons leave none", async () => {
  const count = (ring: string) =>
    env.DB.prepare("SELECT count(*) AS n, max(slot) AS last FROM sign_on_traces WHERE connection_id = ? AND ring = ?")
      .bind(id, ring)
      .first<{ n: number; last: number }>();
  const before = await count("refusal");
  await signOn();
  expect(await count("refusal")).toEqual(before);
  const fill = (ring: string, slot: number) =>
    env.DB.prepare(
      `UPDATE sign_on_traces SET slot = ?2 WHERE connection_id = ?3 AND ring = ?1
       AND slot = (SELECT max(slot) FROM sign_on_traces WHERE connection_id = ?3 AND ring = ?1)`,
    )
      .bind(ring, slot, id)
      .run();
  await fill("refusal", 99);
  await signOn({ signedBy: "foreign" });
  expect(await count("refusal")).toEqual({ n: before?.n, last: 99 });
  await fill("test", 49);
  await call("POST", `/tenant/connections/${id}/test`, { token: owner.token, body: {} });
  expect((await count("test"))?.last).toBe(49);
});

describe("a sign-on that confirms a session", () => {
  /** Signs on at the provider for a step-up, and sends the code. */
  async function confirm(token: string, sub: string, ageSeconds: number | null) {
    const browser = newBrowser();
    const departure = await leave(browser, `?connection=${id}&purpose=step-up`);
    expect(Object.fromEntries(departure.url.searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
    const time = ageSeconds === null ? {} : { auth_time: Math.floor(Date.now() / 1000) - ageSeconds };
    const claims = { ...claimsOf(departure, newPersonAtProvider({ sub })), ...time };
    const back = await arrive(browser, id, departure, { claims });
    const code = back.searchParams.get("code");
    if (code === null) return [back.searchParams.get("error"), (await traceOf(back)).reason];
    const send = () => browser.send("POST", "/api/v1/auth/step-up", { body: { signOn: code }, token });
    const exchanged = await browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
    const [first, second] = [await send(), await send()];
    return [back.searchParams.get("purpose"), exchanged.status, first.status, second.status];
  }

  test("is fresh, of the session's own connection and person, and works once", async () => {
    const person = await signUpVerified();
    const sub = `sub-${crypto.randomUUID()}`;
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE sessions SET connection_id = ?, amr = '[\"sign-on\"]', tenant_id = ? WHERE user_id = ?",
      ).bind(id, owner.tenantId, person.userId),
      env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 1)").bind(
        owner.tenantId,
        person.userId,
      ),
      env.DB.prepare(
        `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, is_maker, created_at)
         VALUES (?1, (SELECT generation FROM connections WHERE id = ?1), ?2, ?3, ?4, 0, 1)`,
      ).bind(id, sub, crypto.randomUUID(), person.userId),
    ]);
    const session = { body: { refreshToken: person.refreshToken } };
    const { accessToken: token } = (await call("POST", "/auth/refresh", session)).body.data;
    expect(await confirm(token, sub, 100)).toEqual(["step-up", 400, 200, 400]);
    expect(await confirm(token, sub, 200)).toEqual(["sign_on_refused", "max_age"]);
    expect(await confirm(token, sub, null)).toEqual(["sign_on_refused", "max_age"]);
    expect(await confirm(token, "somebody else", 0)).toEqual(["step-up", 400, 400, 400]);
    expect(await confirm(owner.token, sub, 0)).toEqual(["step-up", 400, 400, 400]);
  });
});
