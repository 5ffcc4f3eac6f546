/** Responses by SAML that sign nobody on. A refusal leaves a trace, and what is not of this browser leaves nothing. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { vouchedDomain } from "../support/domains";
import { newBrowser } from "../support/oauth";
import { EMAIL_FORMAT, newSamlProvider, type Said, samlResponse } from "../support/saml-provider";
import {
  arriveBySaml,
  connectSaml,
  departureOf,
  exchange,
  follow,
  leaveForSaml,
  openSaml,
  postToAcs,
  type SamlConnection,
  testSaml,
} from "../support/saml-sign-on";
import { connect, open } from "../support/sign-on";

const MINUTE = 60_000;

let owner: Person;
let connection: SamlConnection;
let domain = "";
beforeAll(async () => {
  owner = await signUpVerified();
  connection = await connectSaml(owner, await newSamlProvider());
  domain = await vouchedDomain(owner.tenantId);
  await openSaml(owner, connection);
});

const somebody = () => ({ subject: crypto.randomUUID(), attributes: { email: `a-${crypto.randomUUID()}@${domain}` } });

/** A browser that has left for the provider. */
async function leaving(more = "") {
  const browser = newBrowser();
  return { browser, departure: await leaveForSaml(browser, `?connection=${connection.id}&to=/orders${more}`) };
}

const traceOf = async (back: URL) => {
  const at = `/tenant/connections/${connection.id}/traces/${back.searchParams.get("trace")}`;
  return (await call("GET", at, { token: owner.token })).body.data;
};

const traces = async () =>
  env.DB.prepare("SELECT count(*) AS n FROM sign_on_traces WHERE connection_id = ?").bind(connection.id).first("n");

const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";

test.each<[string, Partial<Said>, string]>([
  ["is changed after it was signed", { tamper: (xml) => xml.replace("person-1", "person-2") }, "bad_signature"],
  ["is not signed", { tamper: (xml) => xml.replace(/<ds:Signature .*<\/ds:Signature>/, "") }, "not_signed"],
  ["is no XML", { tamper: (xml) => xml.replace("</samlp:Response>", "") }, "xml"],
  ["has a comment", { tamper: (xml) => xml.replace("person-1", "person<!-- -->-1") }, "xml"],
  [
    "has no assertion",
    { tamper: (xml) => xml.replace(/<saml:Assertion .*<\/saml:Assertion>/, "") },
    "assertion_missing",
  ],
  ["refuses the person", { tamper: (xml) => xml.replace("status:Success", "status:Responder") }, "access_denied"],
  ["is of another provider", { issuer: "https://other.example" }, "issuer"],
  ["is for another service", { audience: "https://postern.test/saml/other" }, "audience"],
  ["is for another address", { recipient: "https://postern.test/other" }, "recipient"],
  ["is too old", { issuedIn: -20 * MINUTE }, "expired"],
  ["is of the future", { issuedIn: 5 * MINUTE }, "clock_skew"],
  ["names a session that has ended", { sessionEndsIn: -5 * MINUTE }, "expired"],
  ["names the person for now alone", { format: TRANSIENT }, "no_subject"],
])("one that %s is refused, with a trace", async (_, said, reason) => {
  const { browser, departure } = await leaving();
  const back = await arriveBySaml(browser, connection, departure, { attributes: somebody().attributes, ...said });
  expect([back.searchParams.get("error"), back.searchParams.get("code")]).toEqual(["sign_on_refused", null]);
  expect(await traceOf(back)).toMatchObject({ kind: "sign-on", outcome: "refused", step: "response", reason });
  expect([...browser.jar.keys()]).toEqual([]);
});

test("a trace of a refusal has the subject and the address, and of other attributes that they were there", async () => {
  const { id } = connection;
  await call("PATCH", `/tenant/connections/${id}`, {
    token: owner.token,
    body: { session: { acrValues: ["urn:mfa"] } },
  });
  const { browser, departure } = await leaving();
  const { subject, attributes } = somebody();
  const said = { subject, attributes: { ...attributes, phone: "0123", teams: ["a", "b"] } };
  const trace = await traceOf(await arriveBySaml(browser, connection, departure, said));
  expect(trace).toMatchObject({ reason: "acr", claims: { sub: subject, email: attributes.email, phone: null } });
  expect(JSON.stringify(trace.claims)).not.toContain("0123");
  const strong = await leaving();
  const back = await arriveBySaml(strong.browser, connection, strong.departure, { ...said, authnContext: "urn:mfa" });
  expect(back.searchParams.has("code")).toBe(true);
  await call("PATCH", `/tenant/connections/${id}`, { token: owner.token, body: { session: null } });
});

describe("what is not the answer to this browser's request signs nobody in, and writes nothing:", () => {
  const expired = async (browser: ReturnType<typeof newBrowser>, location: string) => {
    const before = await traces();
    const back = await follow(browser, location);
    expect([back.searchParams.get("error"), browser.jar.has("__Host-postern-oauth-outcome")]).toEqual([
      "expired",
      false,
    ]);
    expect(await traces()).toBe(before);
  };
  const response = async (requestId: string | null, of = connection) =>
    samlResponse(of.provider, { ...of, ...somebody(), inResponseTo: requestId });

  test("a response that somebody else's browser is made to send", async () => {
    const { departure } = await leaving();
    const posted = await postToAcs(connection.id, { SAMLResponse: await response(departure.requestId) });
    expect([posted.status, posted.cookies]).toEqual([303, []]);
    await expired(newBrowser(), posted.location);
    await expired((await leaving()).browser, posted.location);
  });

  test("a response that this browser has brought back before", async () => {
    const { browser, departure } = await leaving();
    const form = { SAMLResponse: await response(departure.requestId) };
    const { location } = await postToAcs(connection.id, form);
    expect((await exchange(browser, await follow(browser, location))).status).toBe(200);
    await expired(browser, (await postToAcs(connection.id, form)).location);
  });

  test("a response to another connection, though the provider is the same", async () => {
    const twin = await connectSaml(owner, connection.provider);
    const { browser, departure } = await leaving();
    const form = { SAMLResponse: await response(departure.requestId) };
    const posted = await postToAcs(twin.id, form);
    await expired(browser, posted.location);
    const elsewhere = await postToAcs(connection.id, form);
    await expired((await leaving()).browser, elsewhere.location.replace(connection.id, twin.id));
    await call("DELETE", `/tenant/connections/${twin.id}`, { token: owner.token, body: { members: "keep" } });
  });

  test("a response to a connection that was changed meanwhile", async () => {
    const { browser, departure } = await leaving();
    const form = { SAMLResponse: await response(departure.requestId) };
    const early = await postToAcs(connection.id, form);
    const body = { name: `Acme ${crypto.randomUUID()}` };
    await call("PATCH", `/tenant/connections/${connection.id}`, { token: owner.token, body });
    const twin = newBrowser();
    for (const [name, value] of browser.jar) twin.jar.set(name, value);
    await expired(browser, early.location);
    await expired(twin, (await postToAcs(connection.id, form)).location);
  });

  test("a sealed answer that was not made here", async () => {
    const { browser } = await leaving();
    await expired(browser, `https://postern.test/api/v1/auth/sign-on/${connection.id}/finish?answer=abc`);
  });

  test("a form for a connection of another kind", async () => {
    const other = await connect(owner);
    await open(owner, other.id);
    const { location } = await postToAcs(other.id, { SAMLResponse: await response("_a") });
    expect(new URL(location).searchParams.get("error")).toBe("expired");
    await call("DELETE", `/tenant/connections/${other.id}`, { token: owner.token, body: { members: "keep" } });
  });
});

describe("a response that answers no request", () => {
  const tile = async (form: Record<string, string> = {}) => {
    const said = { ...connection, ...somebody(), inResponseTo: null };
    return postToAcs(connection.id, { SAMLResponse: await samlResponse(connection.provider, said), ...form });
  };

  test("begins a sign-on, which goes on to a page of the client and to no other", async () => {
    const browser = newBrowser();
    const to = `${new URL(env.APP_URL).pathname}/orders`;
    const { location } = await tile({ RelayState: `${env.APP_URL}/orders` });
    const departure = await departureOf((await follow(browser, location)).href);
    expect(departure.url.href).toContain(connection.provider.ssoUrl);
    const back = await arriveBySaml(browser, connection, departure, somebody());
    expect([back.searchParams.get("to"), (await exchange(browser, back)).status]).toEqual([to, 200]);
    const foreign = newBrowser();
    const away = await follow(foreign, (await tile({ RelayState: "https://evil.example/" })).location);
    const home = await arriveBySaml(foreign, connection, await departureOf(away.href), somebody());
    expect([home.searchParams.has("to"), home.searchParams.has("code")]).toEqual([false, true]);
  });

  test("goes round no circle where the provider never names the request", async () => {
    const { browser } = await leaving();
    expect((await follow(browser, (await tile()).location)).origin).toBe(new URL(connection.provider.ssoUrl).origin);
    const back = await follow(browser, (await tile()).location);
    expect(await traceOf(back)).toMatchObject({ reason: "in_response_to", outcome: "refused" });
  });

  test("ends a test, which asks for an answer", async () => {
    const { trace } = await testSaml(owner, connection, { ...somebody(), inResponseTo: null });
    expect(trace).toMatchObject({ kind: "test", outcome: "refused", reason: "in_response_to" });
  });
});

test("a form without a response, or with one that is too large, is refused", async () => {
  const { browser } = await leaving();
  const { status, location } = await postToAcs(connection.id, {});
  expect([status, (await traceOf(await follow(browser, location))).reason]).toEqual([303, "xml"]);
  expect((await postToAcs(connection.id, { SAMLResponse: "A".repeat(300 * 1024) })).status).toBe(413);
});

test("a good test has all that was said, and warns of a subject that is an address", async () => {
  const said = somebody();
  const groups = ["Admins", "Sales"];
  const attributes = { ...said.attributes, name: "Ada", groups };
  const { trace } = await testSaml(owner, connection, { ...said, attributes });
  expect(trace).toMatchObject({
    outcome: "succeeded",
    reason: null,
    message: null,
    claims: { groups, sub: said.subject },
  });
  const warned = await testSaml(owner, connection, {
    subject: `b-${crypto.randomUUID()}@${domain}`,
    format: EMAIL_FORMAT,
  });
  expect(warned.trace).toMatchObject({
    outcome: "succeeded",
    reason: "address_as_subject",
    would: { account: "made" },
  });
  expect(warned.trace.message).toContain("address");
});
