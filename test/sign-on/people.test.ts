/** Who becomes whom at a sign-on with the tenant's own provider. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { call, newEmail, signUp } from "../support/client";
import { codeIn, mailTo, tokenIn } from "../support/mailbox";
import {
  arrive,
  memberOf,
  moveInto,
  newTenant,
  one,
  outcomeOf,
  signedOnMember,
  signOnAs,
  signOnWith,
  wordOf,
} from "../support/signed-on";

describe("a person without an account", () => {
  test("gets a managed one, verified by the connection and without a password", async () => {
    const { connection } = await newTenant();
    const { userId, tenantId } = await signOnAs(wordOf(connection));
    const user = await one("SELECT password_hash, email_verified_by, name FROM users WHERE id = ?", userId);
    expect(user).toEqual({ password_hash: "", email_verified_by: "connection", name: "Ada Lovelace" });
    expect(await memberOf(tenantId, userId)).toEqual({
      role: "member",
      connectionId: connection.id,
      roleBy: "directory",
    });
    const { results } = await env.DB.prepare(
      "SELECT action, actor_kind FROM audit_events WHERE target_id = ? ORDER BY id",
    )
      .bind(userId)
      .all();
    expect(results).toEqual([
      { action: "user.created", actor_kind: "connection" },
      { action: "member.added", actor_kind: "connection" },
      { action: "auth.login", actor_kind: "user" },
    ]);
  });

  test.each([
    ["no address", { email: null }, "no_email"],
    ["an address that the provider calls unverified", { emailVerified: false }, "email_unverified"],
    ["an address of another domain", { email: newEmail() }, "domain_not_proved"],
    ["no role", { role: { role: null, rule: null } }, "no_role"],
    ["the role of an owner", { role: { role: "owner", rule: 0 } }, "no_role"],
  ] satisfies [string, Partial<SignedOn>, string][])("is refused with %s", async (_, word, reason) => {
    const { connection } = await newTenant();
    expect(await outcomeOf(await signOnWith(wordOf(connection, word)))).toBe(reason);
  });

  test("is refused where the tenant has no room, and nothing is made", async () => {
    const { connection } = await newTenant();
    const word = wordOf(connection);
    expect(await outcomeOf(await signOnWith(word, {}, { MAX_MEMBERS_PER_TENANT: "1" }))).toBe("cap");
    expect(await one("SELECT 1 FROM users WHERE email = ?", word.email)).toBeNull();
  });

  test("joins by the invitation that they came with, with its role", async () => {
    const { owner, connection } = await newTenant();
    const word = wordOf(connection);
    await call("POST", "/invitations", { token: owner.token, body: { email: word.email, role: "developer" } });
    const invitation = tokenIn(await mailTo(word.email ?? "", /invited/i));
    const { sha256Hex } = await import("../../src/base/crypto/encoding");
    const { userId, tenantId } = await signOnAs({ ...word, invitationHash: await sha256Hex(invitation) });
    expect(await memberOf(tenantId, userId)).toEqual({ role: "developer", connectionId: null, roleBy: "hand" });
  });
});

describe("an unverified account", () => {
  test("is taken over first: whoever registered it loses all of it", async () => {
    const { connection } = await newTenant();
    const squatter = await moveInto(connection, await signUp());
    const { userId } = await signOnAs(wordOf(connection, { email: squatter.email }));
    expect(userId).toBe(squatter.userId);
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
    expect(await memberOf(squatter.tenantId, userId)).toBeNull();
    expect(await one("SELECT password_hash FROM users WHERE id = ?", userId)).toEqual({ password_hash: "" });
  });
});

describe("an owner", () => {
  test("agrees by a code that is mailed to them, and stays an owner", async () => {
    const { owner, connection } = await newTenant();
    const { email, userId, tenantId } = await moveInto(connection, owner);
    const { browser, code } = await arrive(wordOf(connection, { email }));
    const exchange = (fields = {}) =>
      browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code, ...fields } });
    const asked = await exchange();
    expect([asked.status, asked.body.details]).toMatchObject([
      409,
      expect.arrayContaining([{ path: "next", message: "email-code" }]),
    ]);
    const state = asked.body.details.find(({ path }: { path: string }) => path === "mailCode.state").message;
    const mailCode = { state, code: codeIn(await mailTo(email, /code/i)) };
    expect((await exchange({ mailCode })).status).toBe(200);
    expect(await memberOf(tenantId, userId)).toMatchObject({ role: "owner" });
    expect(
      await one("SELECT used_at FROM email_tokens WHERE subject_id = ? AND action LIKE '%signOn%'", userId),
    ).toEqual({
      used_at: null,
    });
  });

  test("is not signed on where no codes are mailed", async () => {
    const { owner, connection } = await newTenant();
    const { email } = await moveInto(connection, owner);
    const answer = await signOnWith(wordOf(connection, { email }), {}, { MAIL_CODE: "off" });
    expect(await outcomeOf(answer)).toBe("owner_consent");
  });
});

describe("with outsideDomains mailCode", () => {
  test("an address of another domain is proven by a mailed code", async () => {
    const { connection } = await newTenant({ outsideDomains: "mailCode" });
    const email = newEmail();
    const { browser, code } = await arrive(wordOf(connection, { email }));
    const exchange = (fields = {}) =>
      browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code, ...fields } });
    const asked = await exchange();
    expect(asked.status).toBe(409);
    const state = asked.body.details.find(({ path }: { path: string }) => path === "mailCode.state").message;
    const wrong = await exchange({ mailCode: { state, code: "000000" } });
    expect(wrong.body.code).toBe("INVALID_CODE");
    expect((await exchange({ mailCode: { state, code: codeIn(await mailTo(email, /code/i)) } })).status).toBe(200);
    expect(await one("SELECT email_verified_by FROM users WHERE email = ?", email)).toEqual({
      email_verified_by: null,
    });
  });
});

describe("what was said in one tenant", () => {
  test("opens no other: two tenants with one provider and one subject", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const word = wordOf(one.connection);
    const first = await signOnAs(word);
    const elsewhere = wordOf(other.connection, { subject: word.subject });
    const second = await signOnAs(elsewhere);
    expect(second.userId).not.toBe(first.userId);
    expect(await memberOf(other.connection.tenantId, first.userId)).toBeNull();
    const stranger = wordOf(other.connection, { email: word.email });
    expect(await outcomeOf(await signOnWith(stranger))).toBe("domain_not_proved");
  });

  test.each([
    ["its connection has changed", "version = version + 1"],
    ["its provider is another one", "generation = generation + 1"],
    ["its connection is disabled", "state = 'disabled'"],
  ])("opens nothing once %s", async (_, change) => {
    const { connection } = await newTenant();
    const { browser, code } = await arrive(wordOf(connection));
    await env.DB.prepare(`UPDATE connections SET ${change} WHERE id = ?`).bind(connection.id).run();
    const { body } = await browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
    expect(body.code).toBe("INVALID_TOKEN");
  });

  test("opens nothing while the tenant is suspended", async () => {
    const { owner, connection } = await newTenant();
    await env.DB.prepare("UPDATE tenants SET suspended_at = 1 WHERE id = ?").bind(owner.tenantId).run();
    expect(await outcomeOf(await signOnWith(wordOf(connection)))).toBe("suspended");
  });
});

test("a subject that another provider repeats is somebody new", async () => {
  const { connection, word, member } = await signedOnMember();
  await env.DB.prepare("UPDATE connections SET generation = 2 WHERE id = ?").bind(connection.id).run();
  const { email } = wordOf(connection);
  expect((await signOnAs({ ...word, generation: 2, email })).userId).not.toBe(member.userId);
});

test("who has bought a domain opens no session of the tenant that had it", async () => {
  const [{ connection: former, member }, { connection: buyer }] = [await signedOnMember(), await newTenant()];
  await env.DB.batch([
    env.DB.prepare("UPDATE domains SET state = 'lost' WHERE domain = ?").bind(former.domain),
    env.DB.prepare("UPDATE domains SET domain = ? WHERE domain = ?").bind(`of-${former.domain}`, former.domain),
    env.DB.prepare("UPDATE domains SET domain = ? WHERE domain = ?").bind(former.domain, buyer.domain),
  ]);
  const { userId, tenantId, token } = await signOnAs(wordOf(buyer, { email: member.email }));
  expect([userId, tenantId]).toEqual([member.userId, buyer.tenantId]);
  expect((await call("GET", "/tenants", { token })).body.data).toMatchObject([{ id: buyer.tenantId }]);
  const there = await call("POST", "/auth/switch-tenant", { token, body: { tenantId: former.tenantId } });
  expect(there.status).toBe(403);
  expect((await call("GET", "/auth/me", { token: member.token })).status).toBe(200);
});

describe("at once", () => {
  test("20 exchanges of one code open one session, for a new account too", async () => {
    const { connection } = await newTenant();
    const { browser, code } = await arrive(wordOf(connection));
    const [pair] = [...browser.jar];
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        if (pair) browser.jar.set(...pair);
        return browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const { count } = (await one<{ count: number }>(
      "SELECT count(*) AS count FROM sessions WHERE connection_id = ?",
      connection.id,
    )) ?? { count: 0 };
    expect(count).toBe(1);
  });

  test("sign-ons of one person, from 10 browsers, make one account and one member", async () => {
    const { connection } = await newTenant();
    const word = wordOf(connection);
    const answers = await Promise.all(Array.from({ length: 10 }, () => signOnWith(word)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { count } = (await one<{ count: number }>(
      "SELECT count(*) AS count FROM memberships WHERE tenant_id = ?",
      connection.tenantId,
    )) ?? { count: 0 };
    expect(count).toBe(2);
  });

  test("nobody who is removed meanwhile stays a member, and nobody is a member twice", async () => {
    const { owner, connection, word, member } = await signedOnMember();
    const remove = () => call("DELETE", `/members/${member.userId}`, { token: owner.token });
    const [removed] = await Promise.all([remove(), ...Array.from({ length: 8 }, () => signOnWith(word))]);
    expect(removed?.status).toBe(200);
    expect(await memberOf(connection.tenantId, member.userId)).toBeNull();
    expect(await one("SELECT 1 FROM sessions WHERE user_id = ?", member.userId)).toBeNull();
  });
});
