/** What becomes of people who have signed on before, and of their accounts. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { removeLeftAccounts } from "../../src/lifecycle/deletion/left-accounts";
import { call, signUpVerified } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import {
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

describe("somebody who has signed on before", () => {
  test("is the same person with another address, which a managed account takes over", async () => {
    const { connection, word, member } = await signedOnMember();
    const email = `new-${crypto.randomUUID()}@${connection.domain}`;
    expect((await signOnAs({ ...word, email, name: "Ada King" })).userId).toBe(member.userId);
    expect(await one("SELECT email, name FROM users WHERE id = ?", member.userId)).toEqual({ email, name: "Ada King" });
  });

  test("keeps name and address with a password of their own", async () => {
    const { connection, word, member } = await signedOnMember();
    await env.DB.prepare("UPDATE users SET password_hash = 'x' WHERE id = ?").bind(member.userId).run();
    await signOnAs({ ...word, email: `new-${crypto.randomUUID()}@${connection.domain}`, name: "Ada King" });
    expect(await one("SELECT email, name FROM users WHERE id = ?", member.userId)).toEqual({
      email: word.email,
      name: "Ada Lovelace",
    });
  });

  test("follows the rules with each sign-on, until somebody gives a role by hand", async () => {
    const { owner, word, member } = await signedOnMember();
    const withRole = (role: "viewer" | "developer") => signOnAs({ ...word, role: { role, rule: 0 } });
    await withRole("viewer");
    expect(await memberOf(owner.tenantId, member.userId)).toMatchObject({ role: "viewer" });
    await signOnAs({ ...word, role: "unchanged" });
    expect(await memberOf(owner.tenantId, member.userId)).toMatchObject({ role: "viewer" });
    const body = { role: "admin" };
    expect((await call("PATCH", `/members/${member.userId}`, { token: owner.token, body })).status).toBe(200);
    await withRole("developer");
    expect(await memberOf(owner.tenantId, member.userId)).toMatchObject({ role: "admin", roleBy: "hand" });
    const follow = (userId: string) =>
      call("PATCH", `/members/${userId}`, { token: owner.token, body: { role: null } });
    expect((await follow(member.userId)).status).toBe(200);
    await withRole("developer");
    expect(await memberOf(owner.tenantId, member.userId)).toMatchObject({ role: "developer", roleBy: "directory" });
    expect((await follow(owner.userId)).status).toBe(409);
  });

  test("is out once removed, and in again when invited", async () => {
    const { owner, word, member } = await signedOnMember();
    expect((await call("DELETE", `/members/${member.userId}`, { token: owner.token })).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: member.token })).status).toBe(401);
    expect(await outcomeOf(await signOnWith(word))).toBe("removed");
    await call("POST", "/invitations", { token: owner.token, body: { email: word.email, role: "viewer" } });
    expect(await outcomeOf(await signOnWith(word))).toBe("in");
  });

  test("gets in with a domain that was lost, which makes, links and renames nobody", async () => {
    const { connection, word, member } = await signedOnMember();
    const stranger = await moveInto(connection, await signUpVerified());
    await env.DB.prepare("UPDATE domains SET state = 'lost' WHERE domain = ?").bind(connection.domain).run();
    expect((await signOnAs({ ...word, email: `new-${crypto.randomUUID()}@${connection.domain}` })).userId).toBe(
      member.userId,
    );
    expect(await one("SELECT email FROM users WHERE id = ?", member.userId)).toEqual({ email: word.email });
    for (const fields of [{}, { email: stranger.email }]) {
      expect(await outcomeOf(await signOnWith(wordOf(connection, fields)))).toBe("domain_not_proved");
    }
  });

  test("joins again after leaving", async () => {
    const { word, member } = await signedOnMember();
    expect((await call("DELETE", "/members/me", { token: member.token })).status).toBe(200);
    expect(await outcomeOf(await signOnWith(word))).toBe("in");
  });

  test("is asked for no second factor of their own", async () => {
    const { word, member } = await signedOnMember();
    await env.DB.prepare("UPDATE users SET totp_enabled_at = 1 WHERE id = ?").bind(member.userId).run();
    expect(await outcomeOf(await signOnWith(word))).toBe("in");
  });
});

describe("somebody whose account was linked", () => {
  test("ends it with the link of the mail: the identity, the sessions and the membership", async () => {
    const { connection } = await newTenant();
    const person = await moveInto(connection, await signUpVerified());
    const word = wordOf(connection, { email: person.email });
    const { token } = await signOnAs(word);
    const link = tokenIn(await mailTo(person.email, /You can now sign in with/));
    expect((await call("POST", "/auth/not-me", { body: { token: link } })).status).toBe(200);
    expect((await call("GET", "/auth/me", { token })).status).toBe(401);
    expect(await memberOf(connection.tenantId, person.userId)).toBeNull();
    expect(await outcomeOf(await signOnWith(word))).toBe("removed");
  });
});

describe("the export of an account", () => {
  test("has the subjects as which providers of tenants know the person", async () => {
    const { connection } = await newTenant();
    const person = await moveInto(connection, await signUpVerified());
    const { subject } = wordOf(connection);
    await signOnAs(wordOf(connection, { subject, email: person.email }));
    const { signOns } = (await call("GET", "/auth/me/export", { token: person.token })).body.data;
    expect(signOns).toMatchObject([
      { tenantId: connection.tenantId, connectionId: connection.id, subject, email: person.email },
    ]);
  });
});

describe("a managed account without a tenant", () => {
  test("is deleted after 30 days, unless the person has signed on again", async () => {
    const [left, back] = [await signedOnMember(), await signedOnMember()];
    for (const { owner, member } of [left, back]) {
      expect((await call("DELETE", `/members/${member.userId}`, { token: owner.token })).status).toBe(200);
    }
    const deps = await createDeps(env, createExecutionContext());
    const later = (days: number) => ({ ...deps, now: () => Date.now() + days * 86_400_000 });
    await removeLeftAccounts(later(29), 0, "", () => false);
    expect(await one("SELECT 1 FROM users WHERE id = ?", left.member.userId)).not.toBeNull();
    await env.DB.prepare("UPDATE connection_identities SET removed_at = NULL WHERE user_id = ?")
      .bind(back.member.userId)
      .run();
    await signOnAs(back.word);
    await removeLeftAccounts(later(31), 0, "", () => false);
    expect(await one("SELECT 1 FROM users WHERE id = ?", left.member.userId)).toBeNull();
    expect(await one("SELECT 1 FROM users WHERE id = ?", back.member.userId)).not.toBeNull();
  });
});
