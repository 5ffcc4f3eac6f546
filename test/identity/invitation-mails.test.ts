/** What a mail of an invitation says, how many an address gets, and what its page says. */
import { expect, test } from "vitest";
import { call, eventually, newEmail, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";

test("names the inviter, the role and the tenant, and none of them in the subject", async () => {
  const [inviter, guest] = [await signUpVerified(), newEmail()];
  await call("POST", "/invitations", { token: inviter.token, body: { email: guest, role: "viewer" } });
  const mail = await mailTo(guest, /invited/);
  const me = (await call("GET", "/auth/me", { token: inviter.token })).body.data;
  expect(mail.subject).toBe("You are invited to join a tenant");
  expect(mail.text).toContain(`${inviter.email} invites you to join ${me.tenant.name} as a viewer.`);
  const { html } = await visit().get(`/accept-invitation?token=${tokenIn(mail)}`);
  for (const shown of [inviter.email, guest, me.tenant.name, "viewer"]) expect(html).toContain(shown);
  const unknown = await visit().get("/accept-invitation?token=unknown");
  expect([unknown.status, unknown.html.includes("has expired")]).toEqual([200, true]);
});

test("reaches an address at most five times a day, over all tenants", async () => {
  const guest = newEmail();
  const inviters = await Promise.all(Array.from({ length: 7 }, () => signUpVerified()));
  for (const { token } of inviters) {
    const { status } = await call("POST", "/invitations", { token, body: { email: guest, role: "viewer" } });
    expect(status).toBe(201);
  }
  await eventually("five mails", async () => mailsTo(guest).length >= 5);
  const other = newEmail();
  await call("POST", "/invitations", { token: inviters[0]?.token, body: { email: other, role: "viewer" } });
  await mailTo(other, /invited/);
  expect(mailsTo(guest)).toHaveLength(5);
});

test.each(["Sign in at https://evil.example", "Sign in at evil.example now", "evil．example", "x".repeat(65)])(
  "a tenant cannot be named %j",
  async (tenantName) => {
    const body = { email: newEmail(), password: "correct horse battery staple", tenantName };
    const { status, body: refusal } = await call("POST", "/auth/register", { body });
    expect([status, refusal.details?.[0]?.path]).toEqual([400, "tenantName"]);
  },
);

test("a person whose name is an address gets a tenant with another name", async () => {
  const body = { email: newEmail(), password: "correct horse battery staple", name: "evil.example" };
  const { accessToken: token } = (await call("POST", "/auth/register", { body })).body.data;
  expect((await call("GET", "/auth/me", { token })).body.data.tenant.name).toBe("Personal");
});
