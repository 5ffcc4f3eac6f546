/** Metadata of the product: with tenants, users and members, in tokens, and for those concerned. */
import { exports } from "cloudflare:workers";
import { base64url, decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { call, PASSWORD, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { all, auditOf, data, newTenant, openPlatform, send } from "../support/platform-api";

beforeAll(openPlatform);

const MINE = { crm: "0061", list: [1, { a: null }] };
const PUBLIC = { plan: "pro" };

test("is set when something is created, replaced whole, and removed with null", async () => {
  const tenant = await newTenant({ metadata: MINE, publicMetadata: PUBLIC });
  expect(tenant).toMatchObject({ metadata: MINE, publicMetadata: PUBLIC });
  const path = `/tenants/${tenant.id}`;
  const changed = await data("PATCH", path, { metadata: { other: 1 } });
  expect(changed).toMatchObject({ metadata: { other: 1 }, publicMetadata: PUBLIC });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(tenant.updatedAt));
  expect((await auditOf(tenant.id))[0]).toMatchObject({ action: "tenant.updated", meta: { changed: ["metadata"] } });
  expect(await data("PATCH", path, { metadata: null, publicMetadata: {} })).toMatchObject({
    metadata: {},
    publicMetadata: {},
  });
  const again = await data("PATCH", path, { metadata: null });
  expect(await data("GET", path)).toEqual(again);
});

test("of a user and of a member too, with and without another role", async () => {
  const [{ id: tenant }, user] = [await newTenant(), await data("POST", "/users", await newPerson(PUBLIC))];
  expect(user.publicMetadata).toEqual(PUBLIC);
  expect((await data("PATCH", `/users/${user.id}`, { metadata: MINE })).metadata).toEqual(MINE);
  const member = { user: user.id, role: "viewer", metadata: MINE };
  expect(await data("POST", `/tenants/${tenant}/members`, member)).toMatchObject({
    metadata: MINE,
    publicMetadata: {},
  });
  const path = `/tenants/${tenant}/members/${user.id}`;
  expect(await data("PATCH", path, { publicMetadata: PUBLIC })).toMatchObject({
    role: "viewer",
    publicMetadata: PUBLIC,
  });
  expect((await auditOf(tenant))[0]).toMatchObject({ action: "member.updated", meta: { changed: ["publicMetadata"] } });
  const both = { role: "developer", metadata: null };
  expect(await data("PATCH", path, both)).toMatchObject({ role: "developer", metadata: {}, publicMetadata: PUBLIC });
  expect((await data("GET", `/tenants/${tenant}/members`))[0]).toMatchObject({ publicMetadata: PUBLIC });
});

const newPerson = async (publicMetadata: object) => ({ email: `${crypto.randomUUID()}@example.com`, publicMetadata });

test.each([
  { metadata: [] },
  { metadata: "text" },
  { metadata: { a: "x".repeat(2_041) } },
  { publicMetadata: { a: "é".repeat(509) } },
])("is refused: %.40o", async (fields) => {
  const tenant = await newTenant();
  for (const path of [`/tenants/${tenant.id}`, "/tenants"]) {
    const answer = await send(path === "/tenants" ? "POST" : "PATCH", path, { name: "x", ...fields });
    expect([answer.status, answer.body.details[0].path]).toEqual([400, Object.keys(fields)[0]]);
  }
});

test("keeps the digits of its numbers, for the product, for the people and in tokens", async () => {
  const person = await signUpVerified();
  const { tid } = decodeJwt(person.token);
  const digits = '{"id":12345678901234567890,"rate":0.10000000000000000001}';
  const exact = { id: JSON.rawJSON("12345678901234567890"), rate: JSON.rawJSON("0.10000000000000000001") };
  await data("PATCH", `/tenants/${tid}`, { metadata: exact, publicMetadata: exact });
  const shown = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await exports.default.fetch(`http://postern.test/api/v1${path}`, { headers })).text();
  };
  expect(await shown("/auth/me", person.token)).toContain(`"publicMetadata":${digits}`);
  expect(await shown(`/platform/tenants/${tid}`, all)).toContain(`"metadata":${digits},"publicMetadata":${digits}`);
  const login = { path: "/api/v1/auth/login", body: { email: person.email, password: PASSWORD } };
  const { body } = await callUnder({ TOKEN_METADATA: "tenant.id" }, login);
  const [, payload = ""] = body.data.accessToken.split(".");
  expect(new TextDecoder().decode(base64url.decode(payload))).toContain('{"tenant":{"id":12345678901234567890}}');
});

test("is shown to the people concerned as far as it is public, and stands in tokens as TOKEN_METADATA says", async () => {
  const person = await signUpVerified();
  const { tid, sub } = decodeJwt(person.token);
  await data("PATCH", `/tenants/${tid}`, { metadata: MINE, publicMetadata: { plan: "pro", seats: 5 } });
  await data("PATCH", `/users/${sub}`, { metadata: MINE, publicMetadata: { beta: true } });
  await data("PATCH", `/tenants/${tid}/members/${sub}`, { metadata: MINE, publicMetadata: { team: "north" } });
  const me = await call("GET", "/auth/me", { token: person.token });
  expect(me.body.data).toMatchObject({
    publicMetadata: { beta: true },
    tenant: { publicMetadata: { plan: "pro", seats: 5 } },
    member: { publicMetadata: { team: "north" } },
  });
  expect(JSON.stringify(me.body)).not.toContain(MINE.crm);
  const logIn = async (names: string) => {
    const body = { email: person.email, password: PASSWORD };
    const answer = await callUnder({ TOKEN_METADATA: names }, { path: "/api/v1/auth/login", body });
    return decodeJwt(answer.body.data.accessToken)["metadata"];
  };
  expect(await logIn("")).toBeUndefined();
  expect(await logIn("tenant.none, user.toString")).toBeUndefined();
  expect(await logIn("tenant.plan, user.beta, member.team")).toEqual({
    tenant: { plan: "pro" },
    user: { beta: true },
    member: { team: "north" },
  });
});
