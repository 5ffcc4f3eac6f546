/** Connections by SAML 2.0: what they may be, and what changes of them come to. */
import { exports } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { metadataOf, newSamlProvider, type SamlProvider } from "../support/saml-provider";
import { connectSaml, openSaml, testSaml } from "../support/saml-sign-on";
import { connect, testerOf } from "../support/sign-on";

const DAY_MS = 86_400_000;
const DISABLED_PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

let owner: Person;
let idp: SamlProvider;
beforeAll(async () => {
  [owner, idp] = [await signUpVerified(), await newSamlProvider()];
});

const write = (method: string, path: string, body: object = {}) =>
  call(method, `/tenant/connections${path}`, { token: owner.token, body });
const end = (id: string) => write("DELETE", `/${id}`, { members: "keep" });
const samlOf = ({ entityId, ssoUrl, certificate }: SamlProvider) => ({ entityId, ssoUrl, certificates: [certificate] });
const published = (path: string) => exports.default.fetch(`https://postern.test${path}`);

test("a draft shows what lacks and what to enter at the provider; metadata completes it", async () => {
  const { status, body } = await write("POST", "", { name: "Acme", kind: "saml", provider: "okta" });
  const { id, state, problems, serviceProvider } = body.data;
  expect([status, state, problems.map(({ path }: { path: string }) => path)]).toEqual([
    201,
    "draft",
    ["saml.entityId", "saml.ssoUrl", "saml.certificates"],
  ]);
  expect(serviceProvider).toEqual({
    entityId: `https://postern.test/saml/${id}`,
    acsUrl: `https://postern.test/api/v1/auth/sign-on/${id}/acs`,
    metadataUrl: `https://postern.test/saml/${id}/metadata`,
  });
  for (const name of ["oidc", "redirectUri", "logoutUri", "jwksUri"]) expect(body.data).not.toHaveProperty(name);
  const { data } = (await write("PATCH", `/${id}`, { saml: { metadata: metadataOf(idp) } })).body;
  expect([data.state, data.version]).toEqual(["ready", 2]);
  expect(data.saml).toEqual({
    entityId: idp.entityId,
    ssoUrl: idp.ssoUrl,
    certificates: [
      {
        certificate: idp.certificate,
        notAfter: expect.stringMatching(/^20\d\d-/),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  });
  await end(id);
});

test("metadata is read once from where it is", async () => {
  const metadataUrl = `https://receiver.example/json/${encodeURIComponent(btoa(metadataOf(idp)))}`;
  const { status, body } = await write("POST", "", { name: "Acme", kind: "saml", saml: { metadataUrl } });
  expect([status, body.data?.state, body.data?.saml.entityId]).toEqual([201, "ready", idp.entityId]);
  await end(body.data.id);
});

test("our metadata says where responses are sent, of connections of this kind alone", async () => {
  const { id, audience, acsUrl } = await connectSaml(owner, idp);
  const answer = await published(`/saml/${id}/metadata`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/samlmetadata+xml"]);
  const text = await answer.text();
  expect(text).toContain(`entityID="${audience}"`);
  expect(text).toContain(`Location="${acsUrl}"`);
  const other = await connect(owner);
  for (const unknown of [crypto.randomUUID(), other.id]) {
    expect((await published(`/saml/${unknown}/metadata`)).status).toBe(404);
  }
  await Promise.all([end(id), end(other.id)]);
});

test.each<[string, object, string]>([
  ["an unknown member", { saml: { issuer: "x" } }, "saml"],
  ["settings of OpenID Connect", { oidc: { clientId: "x" } }, "oidc"],
  ["a sign-on URL without TLS", { saml: { ssoUrl: "ftp://idp.example/sso" } }, "saml.ssoUrl"],
  ["a sign-on URL that is a script", { saml: { ssoUrl: "javascript:alert(1)" } }, "saml.ssoUrl"],
  ["a sign-on URL with a fragment", { saml: { ssoUrl: "https://idp.example/sso#a" } }, "saml.ssoUrl"],
  ["what is no certificate", { saml: { certificates: ["abc"] } }, "saml.certificates.0"],
  ["a certificate that holds none", { saml: { certificates: [DISABLED_PEM] } }, "saml.certificates.0"],
  ["three certificates", { saml: { certificates: ["a", "b", "c"] } }, "saml.certificates"],
  ["what is no metadata", { saml: { metadata: "<a/>" } }, "saml.metadata"],
  ["metadata with entities", { saml: { metadata: "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>" } }, "saml.metadata"],
  ["two sources at once", { saml: { metadata: "<a/>", entityId: "x" } }, "saml"],
  ["metadata that cannot be read", { saml: { metadataUrl: "https://receiver.example/500" } }, "saml.metadataUrl"],
  ["metadata that has moved", { saml: { metadataUrl: "https://receiver.example/redirect" } }, "saml.metadataUrl"],
  ["metadata that is none", { saml: { metadataUrl: "https://receiver.example/big" } }, "saml.metadataUrl"],
  ["a subject of OpenID Connect", { attributes: { subject: "oid" } }, "attributes.subject"],
])("%s is refused, and nothing is stored", async (_, fields, path) => {
  const { status, body } = await write("POST", "", { name: "Acme", kind: "saml", ...fields });
  expect([status, body.details?.[0].path]).toEqual([400, path]);
  expect((await call("GET", "/tenant/connections", { token: owner.token })).body.data).toEqual([]);
});

test.each([
  "http://idp.example/sso",
  "https://10.0.0.1/sso",
  "https://[::1]/sso",
  "https://postern.test/sso",
  "https://8.8.8.8/sso",
])("%s is no sign-on URL where private addresses are refused", async (ssoUrl) => {
  const request = { method: "POST", path: "/api/v1/tenant/connections", token: owner.token };
  for (const [name, url] of Object.entries({ ssoUrl, metadataUrl: ssoUrl })) {
    const body = { name: "a", kind: "saml", saml: { [name]: url } };
    const answer = await callUnder({ WEBHOOK_EGRESS: "public" }, { ...request, body });
    expect([answer.status, answer.body.details[0].path]).toEqual([400, `saml.${name}`]);
  }
});

test("settings of SAML are refused where the connection is of another kind", async () => {
  const { id } = await connect(owner);
  const { status, body } = await write("PATCH", `/${id}`, { saml: samlOf(idp) });
  expect([status, body.details[0].path]).toEqual([400, "saml"]);
  await end(id);
});

test("a certificate beside the old one keeps the connection open; another provider is tested anew", async () => {
  const connection = await connectSaml(owner, idp);
  await openSaml(owner, connection);
  const [at, next] = [`/${connection.id}`, await newSamlProvider()];
  const both = (await write("PATCH", at, { saml: { certificates: [idp.certificate, next.certificate] } })).body.data;
  expect([both.state, both.version, both.saml.certificates.length]).toEqual(["active", 2, 2]);
  const said = { subject: crypto.randomUUID(), attributes: await testerOf(owner) };
  const provider = { ...idp, privateKey: next.privateKey };
  expect((await testSaml(owner, { ...connection, provider }, said)).trace.outcome).toBe("succeeded");
  await write("PATCH", at, { saml: { certificates: [next.certificate] } });
  expect((await testSaml(owner, connection, said)).trace.reason).toBe("bad_signature");
  for (const saml of [{ entityId: next.entityId }, { ssoUrl: next.ssoUrl }]) {
    expect((await write("PATCH", at, { saml })).body.data.state).toBe("ready");
  }
  await end(connection.id);
});

test("a certificate that has ended is a problem of an active connection, and goes on counting", async () => {
  const connection = await connectSaml(owner, await newSamlProvider(Date.now() - DAY_MS));
  await openSaml(owner, connection);
  const { problems } = (await call("GET", `/tenant/connections/${connection.id}`, { token: owner.token })).body.data;
  expect(problems).toEqual([{ path: "saml.certificates.0", message: expect.stringContaining("has ended") }]);
  await end(connection.id);
});

test("what an export has of it makes it again", async () => {
  const { id } = await connectSaml(owner, idp);
  const { connections } = (await call("GET", "/tenant/export", { token: owner.token })).body.data;
  await end(id);
  const { status, body } = await write("POST", "", connections[0]);
  expect([status, body.data.state, body.data.saml.certificates[0].certificate]).toEqual([
    201,
    "ready",
    idp.certificate,
  ]);
  await end(body.data.id);
});
