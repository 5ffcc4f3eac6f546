/** Somebody registers with an address that is not theirs; its owner takes it back. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, newAddress, newEmail, PASSWORD, type Person, signUp } from "../support/client";
import { holding, visit } from "../support/console";
import { codeIn, mailTo, tokenIn } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { newInbox, subscribe } from "../support/receiver";
import { enrol } from "../support/two-factor";

const OWN_PASSWORD = "the owner's own password";
const elsewhere = () => ({ "cf-connecting-ip": newAddress() });

/**
 * An attacker has registered the victim's address and dug in: sessions, key, subscription, a second owner, an open
 * invitation, TOTP.
 */
async function squatted() {
  const squatter = await signUp();
  const verifyToken = tokenIn(await mailTo(squatter.email, /Verify/));
  const webhookId = await subscribe(squatter, newInbox("200").url, { events: ["*"] });
  const accomplice = await signUp();
  // In this deployment unverified addresses may invite.
  const invite = (email: string) =>
    callUnder(
      { EMAIL_VERIFICATION: "optional" },
      { path: "/api/v1/invitations", body: { email, role: "owner" }, token: squatter.token },
    );
  expect((await invite(accomplice.email)).status).toBe(201);
  const accepted = await call("POST", "/invitations/accept", {
    token: accomplice.token,
    body: { token: tokenIn(await mailTo(accomplice.email, /invited/)) },
  });
  expect(accepted.status).toBe(200);
  const late = newEmail();
  expect((await invite(late)).status).toBe(201);
  const openInvitation = tokenIn(await mailTo(late, /invited/));
  const created = await call("POST", "/api-keys", {
    token: squatter.token,
    body: { name: "back door", scopes: ["webhook.read", "event.publish"] },
  });
  await enrol(squatter);
  return { squatter, accomplice, verifyToken, webhookId, late, openInvitation, key: created.body.data.key as string };
}

type Squatted = Awaited<ReturnType<typeof squatted>>;

/**
 * Nothing that the attacker holds leads to the victim's account, nor does the victim work where the attacker looks on.
 */
async function expectNothingLeft({ squatter, accomplice, webhookId, late, openInvitation, key }: Squatted) {
  expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
  expect((await call("POST", "/auth/refresh", { body: { refreshToken: squatter.refreshToken } })).status).toBe(401);
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  const joining = await call("POST", "/auth/register", {
    body: { email: late, password: PASSWORD, invitationToken: openInvitation },
    headers: elsewhere(),
  });
  expect(joining.body.code).toBe("INVALID_TOKEN");
  const { token } = await logIn(accomplice, PASSWORD, { tenantId: squatter.tenantId });
  expect((await call("GET", `/webhooks/${webhookId}`, { token })).body.data.enabled).toBe(false);
  const published = await call("POST", "/events", { token, body: { type: "OrderPaid", payload: 1 } });
  expect([published.status, published.body.data.deliveries]).toEqual([202, 0]);
  const former = await env.DB.prepare("SELECT user_id FROM memberships WHERE tenant_id = ?")
    .bind(squatter.tenantId)
    .all();
  expect(former.results).toEqual([{ user_id: accomplice.userId }]);
}

const login = (email: string, password: string) =>
  call("POST", "/auth/login", { body: { email, password }, headers: elsewhere() });

async function firstLogin({ email, tenantId }: Person) {
  const { status, body } = await login(email, OWN_PASSWORD);
  expect(status).toBe(200);
  const me = await call("GET", "/auth/me", { token: body.data.accessToken });
  expect(me.body.data).toMatchObject({ role: "owner", emailVerified: true, twoFactorEnabled: false, name: null });
  expect(me.body.data.tenant.id).not.toBe(tenantId);
  const members = await call("GET", "/members", { token: body.data.accessToken });
  expect(members.body.data).toHaveLength(1);
  const webhooks = await call("GET", "/webhooks", { token: body.data.accessToken });
  expect(webhooks.body.data).toEqual([]);
}

const ENDED =
  /We have ended 1 session, 1 API key, 1 invitation, your membership in 1 tenant, .* and two-factor authentication\./;

describe("the owner takes an unproven account over", () => {
  test("by a password reset, over the API", async () => {
    const story = await squatted();
    const { email } = story.squatter;
    await call("POST", "/auth/forgot-password", { body: { email }, headers: elsewhere() });
    const token = tokenIn(await mailTo(email, /Reset/));
    const body = { token, newPassword: OWN_PASSWORD };
    expect((await call("POST", "/auth/reset-password", { body, headers: elsewhere() })).status).toBe(200);
    expect((await mailTo(email, /password was changed/)).text).toMatch(ENDED);
    await expectNothingLeft(story);
    await firstLogin(story.squatter);
  });

  test("by a mailed code, of which 20 at once open one session", async () => {
    const story = await squatted();
    const { email, userId } = story.squatter;
    const { state } = (await call("POST", "/auth/code", { body: { email }, headers: elsewhere() })).body.data;
    const mail = await mailTo(email, /sign-in code/);
    expect(mail.text).toMatch(/This address has not been verified/);
    const enter = (code: string, fields: object = {}) =>
      call("POST", "/auth/code/verify", { body: { state, code, ...fields }, headers: elsewhere() });
    expect((await enter("not a code")).body.code).toBe("INVALID_CODE");
    expect((await call("GET", "/auth/me", { token: story.squatter.token })).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(codeIn(mail))));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "INVALID_CODE")).toHaveLength(19);
    await expectNothingLeft(story);
    const me = await call("GET", "/auth/me", { token: opened[0]?.body.data.accessToken });
    expect(me.body.data).toMatchObject({ id: userId, emailVerified: true, twoFactorEnabled: false, name: null });
    expect((await login(email, PASSWORD)).status).toBe(401);
    const told = await mailTo(email, /yours again/);
    expect(told.text).toMatch(/You signed in with a code/);
    expect(told.text).toMatch(ENDED);
    const body = { token: tokenIn(told), newPassword: OWN_PASSWORD };
    expect((await call("POST", "/auth/reset-password", { body, headers: elsewhere() })).status).toBe(200);
    expect((await login(email, OWN_PASSWORD)).status).toBe(200);
  });

  test("by a password reset, over the console", async () => {
    const story = await squatted();
    const { email } = story.squatter;
    const attacker = await holding(story.squatter);
    const browser = visit();
    await browser.post("/forgot-password", { email });
    const token = tokenIn(await mailTo(email, /Reset/));
    expect((await browser.post("/reset-password", { token, newPassword: OWN_PASSWORD })).location).toBe(
      "/console/sign-in",
    );
    await expectNothingLeft(story);
    expect((await attacker.get("/people")).location).toMatch(/sign-in/);
    const signedIn = await browser.follow(await browser.post("/sign-in", { email, password: OWN_PASSWORD }));
    expect([signedIn.status, signedIn.html.includes("Sign out")]).toEqual([200, true]);
    await firstLogin(story.squatter);
  });

  test("by the link of the verification mail, over the API", async () => {
    const story = await squatted();
    const { email } = story.squatter;
    const report = () => call("POST", "/auth/not-me", { body: { token: story.verifyToken }, headers: elsewhere() });
    const answers = await Promise.all(Array.from({ length: 10 }, report));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.map(({ body }) => body.message)).toEqual([
      "Everything set up with your address has ended, and a reset link has been sent.",
    ]);
    await expectNothingLeft(story);
    expect((await login(email, PASSWORD)).status).toBe(401);
    const verified = await call("POST", "/auth/verify-email", {
      body: { token: story.verifyToken },
      headers: elsewhere(),
    });
    expect(verified.body.code).toBe("INVALID_TOKEN");
    const mail = await mailTo(email, /yours again/);
    expect(mail.text).toMatch(ENDED);
    const body = { token: tokenIn(mail), newPassword: OWN_PASSWORD };
    expect((await call("POST", "/auth/reset-password", { body, headers: elsewhere() })).status).toBe(200);
    await firstLogin(story.squatter);
  });

  test("by the button on the verification page, which says who registered the address", async () => {
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
    const squatter = await signUp({ headers: { "user-agent": userAgent } });
    const mail = await mailTo(squatter.email, /Verify/);
    expect(mail.text).toMatch(
      /created with this email address on \d+ \w+ \d{4} at \d\d:\d\d UTC, from Firefox on Linux\./,
    );
    const browser = visit();
    const page = await browser.get(`/verify-email?token=${tokenIn(mail)}`);
    expect(page.html).toContain(squatter.email);
    expect(page.html).toContain("from Firefox on Linux");
    expect(page.html).toContain("This was not me");
    const done = await browser.post("/not-me", { token: tokenIn(mail) });
    expect([done.status, done.html.includes("Everything set up with your address has ended")]).toEqual([200, true]);
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
  });
});

test("a verified account is not taken over: a reset leaves tenants, keys and second factor as they are", async () => {
  const owner = await signUp();
  const token = tokenIn(await mailTo(owner.email, /Verify/));
  await call("POST", "/auth/verify-email", { body: { token }, headers: elsewhere() });
  const refused = await call("POST", "/auth/not-me", { body: { token }, headers: elsewhere() });
  expect(refused.body.code).toBe("INVALID_TOKEN");
  const { key } = (
    await call("POST", "/api-keys", { token: owner.token, body: { name: "ci", scopes: ["webhook.read"] } })
  ).body.data;
  await call("POST", "/auth/forgot-password", { body: { email: owner.email }, headers: elsewhere() });
  const reset = tokenIn(await mailTo(owner.email, /Reset/));
  await call("POST", "/auth/reset-password", {
    body: { token: reset, newPassword: OWN_PASSWORD },
    headers: elsewhere(),
  });
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
  const again = await login(owner.email, OWN_PASSWORD);
  const me = await call("GET", "/auth/me", { token: again.body.data.accessToken });
  expect(me.body.data.tenant.id).toBe(owner.tenantId);
});
