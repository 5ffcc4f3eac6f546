/** What an owner of less than 72 hours cannot do, and what the verified owners of a tenant are told. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { mailsTo } from "../support/mailbox";
import { joinTenant } from "../support/people";

const HOOK = { name: "Tap", url: "https://example.com/hook", events: ["*", "postern.*"], secret: "s", enabled: true };

const mailAbout = (email: string, words: RegExp) =>
  eventually(`a mail about ${words}`, async () => mailsTo(email).find(({ text }) => words.test(text)));

/** Makes somebody an owner of long ago. */
const age = ({ userId }: Pick<Person, "userId">) =>
  env.DB.prepare("UPDATE memberships SET owner_since = 1 WHERE user_id = ? AND owner_since IS NOT NULL")
    .bind(userId)
    .run();

describe("an owner of less than 72 hours", () => {
  const refused = async (answer: ReturnType<typeof call>) => {
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect(body.message).toMatch(/You became an owner less than 72 hours ago.* until \d{4}-\d\d-\d\dT/);
  };

  test("neither removes nor demotes an older owner nor deletes the tenant", async () => {
    const owner = await signUpVerified();
    const newcomer = await joinTenant(owner, "owner");
    const [path, role] = [`/members/${owner.userId}`, { role: "viewer" }];
    await refused(call("DELETE", path, { token: newcomer.token }));
    await refused(call("PATCH", path, { token: newcomer.token, body: role }));
    await refused(call("DELETE", "/tenant", { token: newcomer.token, body: {} }));
    await age(newcomer);
    expect((await call("PATCH", path, { token: newcomer.token, body: role })).status).toBe(200);
    expect((await call("DELETE", "/tenant", { token: newcomer.token, body: {} })).status).toBe(200);
  });

  test("is also one who was promoted, and removes owners who are newer", async () => {
    const owner = await signUpVerified();
    const promoted = await joinTenant(owner, "admin");
    const promotion = { token: owner.token, body: { role: "owner" } };
    expect((await call("PATCH", `/members/${promoted.userId}`, promotion)).status).toBe(200);
    await refused(call("DELETE", `/members/${owner.userId}`, { token: promoted.token }));
    const newer = await joinTenant(owner, "owner");
    expect((await call("DELETE", `/members/${newer.userId}`, { token: promoted.token })).status).toBe(200);
  });
});

describe("the verified owners of a tenant", () => {
  test("are told of owners and admins who join, change and go, and so is the person", async () => {
    const owner = await signUpVerified();
    const admin = await joinTenant(owner, "admin");
    await mailAbout(owner.email, new RegExp(`${admin.email} joined .* as admin`));
    const path = `/members/${admin.userId}`;
    await call("PATCH", path, { token: owner.token, body: { role: "viewer" } });
    for (const { email } of [owner, admin]) await mailAbout(email, new RegExp(`gave ${admin.email} the role viewer`));
    await call("PATCH", path, { token: owner.token, body: { role: "admin" } });
    await call("DELETE", path, { token: owner.token });
    for (const { email } of [owner, admin]) await mailAbout(email, new RegExp(`removed ${admin.email} from`));
    const viewer = await joinTenant(owner, "viewer");
    await call("DELETE", `/members/${viewer.userId}`, { token: owner.token });
    const about = mailsTo(owner.email).filter(({ text }) => text.includes(viewer.email));
    expect(about).toEqual([]);
  });

  test("are told of an export, and of a subscription that receives the audit log", async () => {
    const owner = await signUpVerified();
    expect((await call("GET", "/tenant/export", { token: owner.token })).status).toBe(200);
    await mailAbout(owner.email, /exported the data of/);
    const created = await call("POST", "/webhooks", { token: owner.token, body: HOOK });
    await mailAbout(owner.email, /"Tap" .* sends the audit log to example\.com/);
    const path = `/webhooks/${created.body.data._id}`;
    await call("PATCH", path, { token: owner.token, body: { name: "Renamed" } });
    await call("PATCH", path, { token: owner.token, body: { url: "https://example.org/hook" } });
    await mailAbout(owner.email, /"Renamed" .* sends the audit log to example\.org/);
    expect(mailsTo(owner.email).filter(({ text }) => /"Renamed" .* example\.com/.test(text))).toEqual([]);
  });
});
