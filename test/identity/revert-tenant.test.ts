/** "This was not me" covers the tenant: a thief does not stay in it. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../src/base/crypto/encoding";
import {
  call,
  eventually,
  logIn,
  newAddress,
  newEmail,
  PASSWORD,
  type Person,
  signUpVerified,
} from "../support/client";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { operator } from "../support/operators";
import { invite, joinTenant } from "../support/people";
import { callAs } from "../support/platform-keys";
import { newPortalToken } from "../support/portal";
import { deliveryDb } from "../support/shard";

const HOOK = { name: "Tap", url: "https://example.com/hook", events: ["*", "postern.*"], secret: "s", enabled: true };

const get = async ({ token }: Pick<Person, "token">, path: string) => (await call("GET", path, { token })).body.data;
const rolesIn = async (tenantId: string): Promise<Record<string, string>> => {
  const { results } = await env.DB.prepare("SELECT user_id, role FROM memberships WHERE tenant_id = ?")
    .bind(tenantId)
    .all<{ user_id: string; role: string }>();
  return Object.fromEntries(results.map(({ user_id, role }) => [user_id, role]));
};
const report = (token: string) =>
  call("POST", "/auth/not-me", { body: { token }, headers: { "cf-connecting-ip": newAddress() } });
const mailAbout = (email: string, words: RegExp) =>
  eventually(`a mail about ${words}`, async () => mailsTo(email).find(({ text }) => words.test(text)));

/** The id of the user whose mailed link has this token. */
const holderOf = async (token: string) =>
  env.DB.prepare("SELECT subject_id FROM email_tokens WHERE hash = ?")
    .bind(await sha256Hex(token))
    .first<string>("subject_id");

/** A thief with the owner's password signs in from elsewhere. Returns the session, and the token of the notice. */
async function stolen(owner: Person): Promise<{ thief: Person; token: string }> {
  const headers = { "cf-connecting-ip": newAddress(), "user-agent": "Opera/9.80 (Windows NT 6.1)" };
  const { body } = await call("POST", "/auth/login", { body: { email: owner.email, password: PASSWORD }, headers });
  const token = tokenIn(await mailTo(owner.email, /New sign-in/));
  return { thief: { ...owner, token: body.data.accessToken, refreshToken: body.data.refreshToken }, token };
}

describe("this was not me, about a sign-in", () => {
  test("undoes invitations, members, roles and subscriptions since then, and nothing older", async () => {
    const owner = await signUpVerified();
    const [partner, colleague] = [await joinTenant(owner, "owner"), await joinTenant(owner, "admin")];
    const old = await call("POST", "/webhooks", { token: owner.token, body: { ...HOOK, name: "Old" } });
    const moved = await call("POST", "/webhooks", { token: owner.token, body: { ...HOOK, name: "Moved" } });
    await new Promise((done) => setTimeout(done, 5));
    const { thief, token } = await stolen(owner);
    const accomplice = await joinTenant(thief, "owner");
    const second = await joinTenant(accomplice, "admin");
    const guest = newEmail();
    await invite(thief, guest, "viewer");
    const demote = { token: thief.token, body: { role: "viewer" } };
    expect((await call("PATCH", `/members/${colleague.userId}`, demote)).status).toBe(200);
    const tap = await call("POST", "/webhooks", { token: thief.token, body: HOOK });
    const url = "https://example.org/elsewhere";
    const id = moved.body.data._id;
    expect((await call("PATCH", `/webhooks/${id}`, { token: thief.token, body: { url } })).status).toBe(200);

    expect((await report(token)).status).toBe(200);
    expect(await rolesIn(owner.tenantId)).toEqual({
      [owner.userId]: "owner",
      [partner.userId]: "owner",
      [colleague.userId]: "admin",
    });
    for (const { token: gone } of [accomplice, second])
      expect((await call("GET", "/auth/me", { token: gone })).status).toBe(401);
    expect(await get(partner, "/invitations")).toEqual([]);
    const enabled = Object.fromEntries(
      ((await get(partner, "/webhooks")) as { _id: string; enabled: boolean }[]).map((one) => [one._id, one.enabled]),
    );
    expect(enabled).toEqual({ [old.body.data._id]: true, [id]: false, [tap.body.data._id]: false });
    const mail = await mailAbout(owner.email, /This was done with your account since then/);
    for (const undone of [
      `The invitation of ${guest} `,
      `${accomplice.email} has left`,
      `${second.email} has left`,
      `${colleague.email} has the role admin`,
      'The subscription "Tap" is paused',
      'The subscription "Moved" is paused',
    ]) {
      expect(mail.text).toContain(undone);
    }
    await mailAbout(partner.email, /We have undone this in/);
    const events = (await get(partner, "/audit?limit=50")) as { action: string; meta: { reason?: string } | null }[];
    const undoneActions = events.filter(({ meta }) => meta?.reason === "not-me").map(({ action }) => action);
    expect(undoneActions.sort()).toEqual([
      "member.invitation_revoked",
      "member.removed",
      "member.removed",
      "member.role_changed",
    ]);
  });

  test("gives members the roles back that guests of the thief have changed", async () => {
    const owner = await signUpVerified();
    const [colleague, kept] = [await joinTenant(owner, "admin"), await joinTenant(owner, "viewer")];
    const { thief, token } = await stolen(owner);
    const accomplice = await joinTenant(thief, "admin");
    const second = await joinTenant(accomplice, "admin");
    const become = async (by: Person, { userId }: Person, role: string) =>
      (await call("PATCH", `/members/${userId}`, { token: by.token, body: { role } })).status;
    expect(await become(thief, kept, "operator")).toBe(200);
    expect(await become(accomplice, kept, "developer")).toBe(200);
    expect(await become(second, colleague, "viewer")).toBe(200);
    expect((await report(token)).status).toBe(200);
    expect(await rolesIn(owner.tenantId)).toEqual({
      ...{ [owner.userId]: "owner", [colleague.userId]: "admin", [kept.userId]: "viewer" },
    });
    await mailAbout(owner.email, new RegExp(`${colleague.email} has the role admin`));
  });

  test("ends the portal links since then, and pauses what was set up with one", async () => {
    const owner = await signUpVerified();
    const { thief, token } = await stolen(owner);
    const portal = await newPortalToken(thief.token, ["webhook.read", "webhook.create"]);
    const tap = await call("POST", "/webhooks", { token: portal.token, body: { ...HOOK, events: ["*"] } });
    expect([tap.status, (await report(token)).status]).toEqual([201, 200]);
    expect((await call("GET", "/webhooks", { token: portal.token })).status).toBe(401);
    const row = await deliveryDb
      .prepare("SELECT enabled FROM subscriptions WHERE id = ?")
      .bind(tap.body.data._id)
      .first("enabled");
    expect(row).toBe(0);
  });

  test("ends keys of the tenant and sources that were made since then, and nothing older", async () => {
    const owner = await signUpVerified();
    const partner = await joinTenant(owner, "owner");
    const key = async (by: Person, name: string) => {
      const body = { name, scopes: ["webhook.read"], owner: "tenant" };
      return (await call("POST", "/api-keys", { token: by.token, body })).body.data.key as string;
    };
    const source = async (by: Person, name: string) => {
      const body = { name, provider: "github", secrets: ["a signing secret"] };
      return (await call("POST", "/sources", { token: by.token, body })).body.data.id as string;
    };
    const oldKey = await key(owner, "old key");
    const [kept, widened] = [await source(owner, "kept"), await source(owner, "widened")];
    await new Promise((done) => setTimeout(done, 5));
    const { thief, token } = await stolen(owner);
    const newKey = await key(thief, "new key");
    const made = await source(thief, "made");
    const body = { secret: "of the thief" };
    expect((await call("POST", `/sources/${widened}/secrets`, { token: thief.token, body })).status).toBe(201);

    expect((await report(token)).status).toBe(200);
    const status = async (apiKey: string) =>
      (await call("GET", "/webhooks", { headers: { "x-api-key": apiKey } })).status;
    expect([await status(oldKey), await status(newKey)]).toEqual([200, 401]);
    const sources = (await get(partner, "/sources")) as { id: string; enabled: boolean }[];
    expect(Object.fromEntries(sources.map(({ id, enabled }) => [id, enabled]))).toEqual({
      [kept]: true,
      [widened]: false,
      [made]: false,
    });
    for (const email of [owner.email, partner.email]) {
      const { text } = await mailAbout(email, /The source "made" of .* is disabled\./);
      expect(text).toMatch(/The API key "new key" of .* is revoked\./);
      expect(text).not.toContain("old key");
    }
    const events = (await get(partner, "/audit?limit=50")) as { action: string; meta: { reason?: string } | null }[];
    const undone = events.filter(({ meta }) => meta?.reason === "not-me").map(({ action }) => action);
    expect(undone.sort()).toEqual(["api_key.deleted", "source.updated", "source.updated"]);
  });

  test("undoes what was done with keys that were made since then, and what people did who joined since then", async () => {
    const owner = await signUpVerified();
    const partner = await joinTenant(owner, "owner");
    const elsewhere = await signUpVerified();
    await new Promise((done) => setTimeout(done, 5));
    const { thief, token } = await stolen(owner);
    const scopes = ["webhook.create", "webhook.read"];
    const key = async (by: Person, fields: object) => {
      const body = { name: "key", scopes, owner: "tenant", ...fields };
      return (await call("POST", "/api-keys", { token: by.token, body })).body.data.key as string;
    };
    const hook = async (bearer: string, name: string) => {
      const { body } = await call("POST", "/webhooks", { token: bearer, body: { ...HOOK, name, events: ["*"] } });
      return body.data._id as string;
    };
    const accomplice = await joinTenant(thief, "owner");
    const ofTenant = await key(accomplice, {});
    const suspect = [
      await hook(await key(thief, {}), "by a key of the tenant"),
      await hook(accomplice.token, "of the accomplice"),
      await hook(await key(accomplice, { owner: "user" }), "by a key of the accomplice"),
      await hook(ofTenant, "by a key of the tenant that the accomplice has made"),
    ];
    const kept = await hook(partner.token, "of the partner");
    const { tenantId } = elsewhere;
    await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'admin', 1)")
      .bind(tenantId, accomplice.userId)
      .run();
    const moved = await call("POST", "/auth/switch-tenant", { token: accomplice.token, body: { tenantId } });
    const outside = await hook(moved.body.data.accessToken, "of the accomplice in another tenant");

    expect((await report(token)).status).toBe(200);
    const enabled = async (by: Person) =>
      ((await get(by, "/webhooks")) as { _id: string; enabled: boolean }[]).filter((one) => one.enabled);
    expect((await enabled(partner)).map(({ _id }) => _id)).toEqual([kept]);
    expect((await enabled(elsewhere)).map(({ _id }) => _id)).toEqual([outside]);
    expect(new Set(suspect).size).toBe(4);
    expect((await call("GET", "/webhooks", { headers: { "x-api-key": ofTenant } })).status).toBe(401);
  });

  test("ends the tokens that feeds got since then, and nothing older", async () => {
    const owner = await signUpVerified();
    const feed = async (by: Person, name: string) =>
      (await call("POST", "/feeds", { token: by.token, body: { name, events: ["*"] } })).body.data;
    const [kept, rotated] = [await feed(owner, "kept"), await feed(owner, "rotated")];
    await new Promise((done) => setTimeout(done, 5));
    const { thief, token } = await stolen(owner);
    const made = await feed(thief, "made");
    const body = { overlapSeconds: 3_600 };
    const again = await call("POST", `/feeds/${rotated.id}/token`, { token: thief.token, body });
    const status = async (id: string, bearer: string) =>
      (await call("GET", `/feeds/${id}/events`, { token: bearer })).status;
    const statuses = () =>
      Promise.all([
        status(kept.id, kept.token),
        status(rotated.id, rotated.token),
        status(rotated.id, again.body.data.token),
        status(made.id, made.token),
      ]);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect((await report(token)).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 401, 401]);
    const { text } = await mailAbout(owner.email, /The token of the feed "made" has ended/);
    expect(text).toContain('The token of the feed "rotated" has ended');
    expect(text).not.toContain('"kept"');
  });

  test("ends platform keys that an operator's account has made or replaced since then", async () => {
    // Somebody who had the same address, as operators of earlier files had, and got the same mail.
    const former = await operator();
    await mailTo(former.email, /Two-factor .* turned on/);
    const make = async (token: string, name: string) =>
      (await call("POST", "/platform/keys", { token, body: { name, scopes: ["events.publish"] } })).body.data;
    const [replaced, kept] = [await make(former.token, "of the shop"), await make(former.token, "kept")];
    const op = await operator();
    const overlap = { token: op.token, body: { overlapSeconds: 3600 } };
    const replacement = (await call("POST", `/platform/keys/${replaced.id}/rotate`, overlap)).body.data;
    const keys = [await make(op.token, "of the thief"), replacement, replaced, kept];
    const { tenantId } = await signUpVerified();
    const statuses = () =>
      Promise.all(keys.map(async ({ key }) => (await callAs(key, tenantId, "POST", "/events", {})).status));
    expect(await statuses()).toEqual([400, 400, 400, 400]);
    const notices = () => mailsTo(op.email).filter(({ subject }) => /Two-factor .* turned on/.test(subject));
    const notice = await eventually("the mail to this operator", async () => {
      const owners = await Promise.all(notices().map((mail) => holderOf(tokenIn(mail))));
      return notices()[owners.indexOf(op.userId)];
    });
    expect((await report(tokenIn(notice))).status).toBe(200);
    expect(await statuses()).toEqual([401, 401, 401, 400]);
    for (const name of ["of the thief", "of the shop"]) await mailAbout(op.email, new RegExp(`"${name}" is revoked`));
  });

  test("that only revokes API keys undoes nothing in tenants", async () => {
    const owner = await signUpVerified();
    await call("POST", "/api-keys", { token: owner.token, body: { name: "CI", scopes: ["webhook.read"] } });
    const change = { currentPassword: PASSWORD, newPassword: "another pass phrase" };
    expect((await call("POST", "/auth/change-password", { token: owner.token, body: change })).status).toBe(200);
    const mail = await mailTo(owner.email, /Your password was changed/);
    const member = await joinTenant(owner, "viewer");
    const [, keysToken] = [...mail.text.matchAll(/not-me\?token=(\w+)/g)].map(([, found]) => found ?? "");
    expect((await report(keysToken ?? "")).body.message).toBe("All API keys have been revoked.");
    expect(await rolesIn(owner.tenantId)).toHaveProperty(member.userId);
  });

  test("works once of ten times at the same moment", async () => {
    const owner = await signUpVerified();
    const { thief, token } = await stolen(owner);
    await joinTenant(thief, "owner");
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(Object.keys(await rolesIn(owner.tenantId))).toEqual([owner.userId]);
  });
});

test("a new session of the owner is not touched by the link of an older mail that was used", async () => {
  const owner = await signUpVerified();
  const { token } = await stolen(owner);
  expect((await report(token)).status).toBe(200);
  const mail = await mailTo(owner.email, /Reset your password/);
  const newPassword = "the owner's own password";
  await call("POST", "/auth/reset-password", { body: { token: tokenIn(mail), newPassword } });
  const again = await logIn(owner, newPassword);
  expect((await report(token)).body.code).toBe("INVALID_TOKEN");
  expect((await call("GET", "/auth/me", { token: again.token })).status).toBe(200);
});
