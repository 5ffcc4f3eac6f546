/**
 * A tenant that requires a second factor: who is locked out until they have one, and by which ways nobody gets past it.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, PASSWORD, type Person, setRole, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { mailTo } from "../support/mailbox";
import { newBrowser, newPersonAtProvider, signInAs } from "../support/oauth";
import { addPasskey, loginWith, stepUpBody } from "../support/passkeys";
import { invite, joinTenant, tire } from "../support/people";
import { OPEN_WHEN_SUSPENDED, REACH, reaches } from "../support/reach";
import { send } from "../support/routes";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const turn = (days: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * DAY_MS });

const require = ({ token }: Person, body: object) => call("PATCH", "/tenant/security", { token, body });
const read = async ({ token }: Person) => (await call("GET", "/tenant/security", { token })).body.data;
/** What the tenant answers somebody: a status, or the code of the refusal. */
const inside = async ({ token }: Pick<Person, "token">) => {
  const { status, body } = await call("GET", "/webhooks", { token });
  return status === 200 ? 200 : body.code;
};
const LOCKED = "SECOND_FACTOR_REQUIRED";

/** An owner with a second factor, whose tenant requires one at once of `who`. */
async function strict(who: "admins" | "all" = "all"): Promise<{ owner: Person; secret: string }> {
  const owner = await signUpVerified();
  const secret = await enrol(owner);
  const { status } = await require(owner, { requireSecondFactor: who, graceDays: 0 });
  if (status !== 200) throw new Error(`security answered ${status}`);
  return { owner, secret };
}

describe("the policy", () => {
  test("is off at first, is read by those who read members, and changed by owners", async () => {
    const owner = await signUpVerified();
    const admin = await joinTenant(owner, "admin");
    const viewer = await joinTenant(owner, "viewer");
    expect(await read(admin)).toEqual({
      requireSecondFactor: "off",
      graceDays: 7,
      enforcedFrom: null,
      unlistedApps: "allow",
      membersWithout: 0,
    });
    expect((await call("GET", "/tenant/security", { token: viewer.token })).status).toBe(403);
    expect((await require(admin, { graceDays: 1 })).status).toBe(403);
    for (const body of [{ requireSecondFactor: "some" }, { graceDays: 91 }, { graceDays: -1 }, { graceDays: 1.5 }]) {
      expect((await require(owner, body)).status).toBe(400);
    }
  });

  test("cannot be turned on by an owner without a second factor, nor without a recent sign-in", async () => {
    const owner = await signUpVerified();
    const refused = await require(owner, { requireSecondFactor: "all" });
    expect([refused.status, refused.body.code]).toEqual([403, LOCKED]);
    expect(refused.body.message).toMatch(/your own account first/);
    expect((await read(owner)).requireSecondFactor).toBe("off");
    const secret = await enrol(owner);
    await tire(owner);
    expect((await require(owner, { requireSecondFactor: "all" })).body.code).toBe("STEP_UP_REQUIRED");
    await call("POST", "/auth/step-up", { token: owner.token, body: { totp: codeOf(secret) } });
    expect((await require(owner, { requireSecondFactor: "all" })).body.data.requireSecondFactor).toBe("all");
  });

  test("counts whom it concerns, is recorded, and mailed to the other owners", async () => {
    const owner = await signUpVerified();
    const other = await joinTenant(owner, "viewer");
    await setRole(other, "owner");
    await joinTenant(owner, "viewer");
    await enrol(owner);
    const { data } = (await require(owner, { requireSecondFactor: "all", graceDays: 3 })).body;
    expect(data).toMatchObject({ requireSecondFactor: "all", graceDays: 3, membersWithout: 2 });
    expect(Date.parse(data.enforcedFrom) - Date.now()).toBeGreaterThan(2.9 * DAY_MS);
    expect((await require(owner, { requireSecondFactor: "admins" })).body.data.membersWithout).toBe(1);
    expect((await mailTo(other.email, /second factor in your tenant/)).text).toContain("in 3 days");
    const { data: events } = (await call("GET", "/audit?action=tenant.*", { token: owner.token })).body;
    expect(events.map(({ meta }: { meta: object }) => meta)).toEqual([
      { requireSecondFactor: "admins", graceDays: 3 },
      { requireSecondFactor: "all", graceDays: 3 },
    ]);
    expect((await require(owner, { requireSecondFactor: "off" })).body.data).toMatchObject({
      enforcedFrom: null,
      unlistedApps: "allow",
      membersWithout: 0,
    });
  });

  test("begins the grace period anew with each change, and not with a request that changes nothing", async () => {
    const { owner } = await strict();
    const first = await read(owner);
    await require(owner, {});
    await require(owner, { requireSecondFactor: "all", graceDays: 0 });
    expect(await read(owner)).toEqual(first);
    await require(owner, { graceDays: 2 });
    expect((await read(owner)).enforcedFrom).not.toBe(first.enforcedFrom);
  });

  test("of 10 changes at the same time, each leaves a policy that was asked for", async () => {
    const owner = await signUpVerified();
    await enrol(owner);
    const days = Array.from({ length: 10 }, (_, index) => index + 10);
    const answers = await Promise.all(
      days.map((graceDays) => require(owner, { requireSecondFactor: "all", graceDays })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(days).toContain((await read(owner)).graceDays);
  });
});

describe("a member without a second factor", () => {
  test("works until the grace period ends, is told when, and then gets in only to set one up", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    await enrol(owner);
    await require(owner, { requireSecondFactor: "all", graceDays: 2 });
    expect(await inside(member)).toBe(200);
    const me = await call("GET", "/auth/me", { token: member.token });
    expect(me.body.data.secondFactorDueAt).toBe((await read(owner)).enforcedFrom);
    turn(3);
    const later = await logIn(member);
    expect(await inside(later)).toBe(LOCKED);
    await enrol(later);
    expect(await inside(later)).toBe(200);
    expect((await call("GET", "/auth/me", { token: later.token })).body.data.secondFactorDueAt).toBeNull();
  });

  test("is refused by every route but those about the person", async () => {
    const { owner } = await strict();
    const member = await joinTenant(owner, "admin");
    const closed = Object.values(REACH)
      .flat()
      .filter((route) => !reaches("anybody", route) && !OPEN_WHEN_SUSPENDED.includes(route));
    for (const route of closed) {
      const { body } = await send(route, { token: member.token });
      expect([route, body.code]).toEqual([route, LOCKED]);
    }
    for (const path of ["/auth/me", "/auth/sessions", "/auth/passkeys", "/tenants"]) {
      expect([path, (await call("GET", path, { token: member.token })).status]).toEqual([path, 200]);
    }
  });

  test.each([
    ["admins", "viewer", 200],
    ["admins", "admin", LOCKED],
    ["all", "viewer", LOCKED],
  ] as const)("of a policy for %s, a %s gets %s", async (who, role, outcome) => {
    const { owner } = await strict(who);
    expect(await inside(await joinTenant(owner, role))).toBe(outcome);
  });

  test("who becomes an admin is locked out of a tenant that asks admins", async () => {
    const { owner } = await strict("admins");
    const member = await joinTenant(owner, "viewer");
    expect(await inside(member)).toBe(200);
    await call("PATCH", `/members/${member.userId}`, { token: owner.token, body: { role: "admin" } });
    expect(await inside(member)).toBe(LOCKED);
  });

  test("gets past it neither by another sign-in, a refresh, a provider, nor by switching to the tenant", async () => {
    const { owner } = await strict();
    const member = await signUpVerified();
    const token = await invite(owner, member.email, "developer");
    const accepted = await call("POST", "/invitations/accept", { token: member.token, body: { token } });
    expect(accepted.status).toBe(200);
    expect(await inside(member)).toBe(200);
    const switched = await call("POST", "/auth/switch-tenant", {
      token: member.token,
      body: { tenantId: owner.tenantId },
    });
    expect(switched.status).toBe(200);
    expect(await inside({ token: switched.body.data.accessToken })).toBe(LOCKED);
    const { refreshToken } = switched.body.data;
    const refreshed = await call("POST", "/auth/refresh", { body: { refreshToken } });
    expect(await inside({ token: refreshed.body.data.accessToken })).toBe(LOCKED);
    expect(await inside(await logIn(member, PASSWORD, { tenantId: owner.tenantId }))).toBe(LOCKED);
    const browser = newBrowser({ LINK_BY_EMAIL: "always" });
    const provided = await signInAs(browser, newPersonAtProvider({ email: member.email }));
    expect(await inside({ token: provided.body.data.accessToken })).toBe(LOCKED);
    const back = await call("POST", "/auth/switch-tenant", {
      token: provided.body.data.accessToken,
      body: { tenantId: member.tenantId },
    });
    expect(await inside({ token: back.body.data.accessToken })).toBe(200);
  });

  test("keeps API keys that work", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    const body = { name: "ci", scopes: ["webhook.read"] };
    const { key } = (await call("POST", "/api-keys", { token: member.token, body })).body.data;
    await enrol(owner);
    await require(owner, { requireSecondFactor: "all", graceDays: 0 });
    expect(await inside(member)).toBe(LOCKED);
    expect(await inside({ token: key })).toBe(200);
  });

  test("who turns two-factor authentication off is locked out at once", async () => {
    const { owner, secret } = await strict();
    expect(await inside(owner)).toBe(200);
    await call("POST", "/auth/2fa/disable", { token: owner.token, body: { token: codeOf(secret) } });
    expect(await inside(owner)).toBe(LOCKED);
    expect((await require(owner, { requireSecondFactor: "off" })).body.code).toBe(LOCKED);
  });
});

describe("a passkey", () => {
  test("counts in sessions that it has opened or confirmed, and not beside a password alone", async () => {
    const { owner } = await strict();
    const member = await joinTenant(owner, "developer");
    const passkey = await addPasskey(member);
    expect(await inside(member)).toBe(LOCKED);
    await call("POST", "/auth/step-up", { token: member.token, body: await stepUpBody(member, passkey) });
    expect(await inside(member)).toBe(200);
    expect(await inside(await logIn(member))).toBe(LOCKED);
    expect(await inside({ token: (await loginWith(passkey)).body.data.accessToken })).toBe(200);
    const removed = await call("DELETE", `/auth/passkeys/${passkey.id}`, { token: member.token });
    expect(removed.status).toBe(200);
    expect(await inside(member)).toBe(LOCKED);
  });

  test("of an owner allows to turn the policy on", async () => {
    const owner = await signUpVerified();
    const passkey = await addPasskey(owner);
    await call("POST", "/auth/step-up", { token: owner.token, body: await stepUpBody(owner, passkey) });
    expect((await require(owner, { requireSecondFactor: "all", graceDays: 0 })).status).toBe(200);
    expect(await inside(owner)).toBe(200);
  });
});

describe("in the console", () => {
  test("an owner sets it, and members are led to the page on which they set a factor up", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    await enrol(owner);
    const browser = await holding(owner);
    expect((await browser.get("/tenants")).html).toContain("/console/tenants/security");
    const saved = await browser.follow(
      await browser.post("/tenants/security", { requireSecondFactor: "all", graceDays: "0" }),
    );
    expect(saved.html).toContain("Members who still have none: 1");
    const listed = { requireSecondFactor: "all", graceDays: "0", unlistedApps: "listed" };
    expect((await browser.follow(await browser.post("/tenants/security", listed))).html).toMatch(
      /<option value="listed" selected/,
    );
    expect(await read(owner)).toMatchObject({ requireSecondFactor: "all", unlistedApps: "listed" });
    expect((await browser.post("/tenants/security", { requireSecondFactor: "all", graceDays: "x" })).status).toBe(400);
    const theirs = await holding(member);
    for (const path of ["", "/webhooks", "/api-keys"]) {
      const page = await theirs.get(path);
      expect([path, page.status, page.location]).toEqual([path, 303, "/console/security"]);
    }
    expect((await theirs.post("/webhooks", {})).status).toBe(403);
    const page = await theirs.get("/security");
    expect(page.status).toBe(200);
    expect(page.html).toContain("only with a second factor");
    expect((await theirs.get("/tenants")).status).toBe(200);
    await enrol(member);
    expect((await theirs.get("/webhooks")).status).toBe(200);
    expect((await theirs.get("/tenants/security")).status).toBe(403);
  });

  test("says beforehand from when", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    await enrol(owner);
    await require(owner, { requireSecondFactor: "all", graceDays: 5 });
    const page = await (await holding(member)).get("/webhooks");
    expect([page.status, page.html.includes("only with a second factor")]).toEqual([200, true]);
  });
});
