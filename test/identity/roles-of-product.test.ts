/** The roles that ROLES adds: in tokens, for members who have them, and what they may give and take away. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { setRolesOfProduct } from "../../src/base/schemas/roles";
import { newEmail, PASSWORD, type Person, setRole, signUp, signUpVerified, verify } from "../support/client";
import { callUnder } from "../support/overrides";

const ROLES = JSON.stringify({
  "team-lead": { title: "Leads a team", permissions: ["member.read", "member.manage"], app: ["team.edit"] },
  billing: { title: "Pays bills", permissions: ["webhook.read"], app: ["invoice.read", "invoice.pay"] },
  reader: { title: "Reads", app: ["team.edit"] },
  owner: { app: ["invoice.read"] },
});

const under = (token: string | undefined, method: string, path: string, body?: unknown, roles = ROLES) =>
  callUnder({ ROLES: roles }, { method, path: `/api/v1${path}`, body, token });

/** Signs in again under ROLES, and returns what the token says. */
async function claimsOf({ email }: Person, roles = ROLES) {
  const { body } = await under(undefined, "POST", "/auth/login", { email, password: PASSWORD }, roles);
  return decodeJwt(body.data.accessToken);
}

/** A member with a role that their tenant's owner has given under ROLES. */
async function memberWith(role: string) {
  const [owner, person] = [await signUpVerified(), await signUp({ email: newEmail() })];
  await verify(person.email);
  const tenantId = String(decodeJwt(owner.token)["tid"]);
  const userId = String(decodeJwt(person.token).sub);
  await env.DB.prepare("UPDATE memberships SET tenant_id = ?, role = 'member' WHERE user_id = ?")
    .bind(tenantId, userId)
    .run();
  expect((await under(owner.token, "PATCH", `/members/${userId}`, { role })).status).toBe(200);
  return { owner, member: { ...person, token: "" }, userId, tenantId };
}

async function signedIn(member: Person) {
  const { body } = await under(undefined, "POST", "/auth/login", { email: member.email, password: PASSWORD });
  return String(body.data.accessToken);
}

describe("a role of the product", () => {
  test("stands in tokens with its permissions there and here, and opens what it says", async () => {
    const { member } = await memberWith("billing");
    expect(await claimsOf(member)).toMatchObject({
      role: "billing",
      scope: "webhook.read",
      permissions: ["invoice.read", "invoice.pay"],
    });
    const token = await signedIn(member);
    expect((await under(token, "GET", "/auth/me")).body.data).toMatchObject({
      role: "billing",
      permissions: ["webhook.read"],
      appPermissions: ["invoice.read", "invoice.pay"],
    });
    expect((await under(token, "GET", "/webhooks")).status).toBe(200);
    expect((await under(token, "POST", "/events", { type: "a.b", payload: {} })).status).toBe(403);
  });

  test("counts as member once ROLES does not have it, and owners can still change it", async () => {
    const { owner, member, userId } = await memberWith("billing");
    const gone = await claimsOf(member, "");
    expect([gone["role"], gone["scope"], gone["permissions"]]).toEqual(["member", "", undefined]);
    expect((await under(owner.token, "PATCH", `/members/${userId}`, { role: "billing" }, "")).status).toBe(400);
    expect((await under(owner.token, "PATCH", `/members/${userId}`, { role: "viewer" }, "")).status).toBe(200);
  });

  test("of ours keeps its permissions and gets those of the product", async () => {
    const owner = await signUpVerified();
    expect(await claimsOf(owner)).toMatchObject({ role: "owner", permissions: ["invoice.read"] });
  });

  test.each([
    ["admin", 403],
    ["billing", 403],
    ["owner", 403],
    ["member", 200],
    ["reader", 200],
    ["team-lead", 200],
  ])("that manages members gives and takes away only what it may do itself: not more than %s", async (role, status) => {
    const { owner, member, tenantId } = await memberWith("team-lead");
    const other = await signUp({ email: newEmail() });
    const userId = String(decodeJwt(other.token).sub);
    await env.DB.prepare("UPDATE memberships SET tenant_id = ? WHERE user_id = ?").bind(tenantId, userId).run();
    await setRole({ ...other, token: owner.token, userId, tenantId }, "member");
    const token = await signedIn(member);
    expect((await under(token, "PATCH", `/members/${userId}`, { role })).status).toBe(status);
    await env.DB.prepare("UPDATE memberships SET role = ? WHERE user_id = ?").bind(role, userId).run();
    const removed = await under(token, "DELETE", `/members/${userId}`);
    expect(removed.status).toBe(role === "owner" ? 403 : status);
  });
});

describe("ROLES", () => {
  test.each([
    "{",
    "[]",
    '{"Billing":{"title":"x"}}',
    '{"billing":{}}',
    '{"billing":{"title":"x","permissions":["invoice.pay"]}}',
    '{"owner":{"title":"x"}}',
    '{"owner":{"permissions":[]}}',
    '{"billing":{"title":"x","app":["two words"]}}',
    JSON.stringify({ billing: { title: "x", app: Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(40, "x")) } }),
    JSON.stringify(Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`r${i}`, { title: "x" }]))),
  ])("is refused, and adds no role: %.40s", (text) => {
    const config = parseConfig({ ...env, ROLES: text } as never);
    expect(config.refused).toEqual([expect.stringMatching(/^ROLES must be empty, or JSON/)]);
    expect(config.roles).toEqual({});
    setRolesOfProduct({});
  });
});
