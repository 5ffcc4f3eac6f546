/** People of several tenants: listing them, switching, leaving. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, PASSWORD, type Person, signUpVerified } from "../support/client";
import { holding, signedIn } from "../support/console";
import { invite, joinTenant } from "../support/people";

const tenantOf = async (token: string) => (await call("GET", "/auth/me", { token })).body.data.tenant.id;
const switchTo = (person: Person, tenantId: string, token = person.token) =>
  call("POST", "/auth/switch-tenant", { token, body: { tenantId } });
const leave = (token: string) => call("DELETE", "/members/me", { token });

afterEach(() => void vi.useRealTimers());

/** Somebody with a tenant of their own who is also a viewer in another. */
async function ofTwoTenants() {
  const owner = await signUpVerified();
  const guest = await signUpVerified();
  const token = await invite(owner, guest.email, "viewer");
  const accepted = await call("POST", "/invitations/accept", { token: guest.token, body: { token } });
  if (accepted.status !== 200) throw new Error(`accept answered ${accepted.status}`);
  return { owner, guest };
}

describe("several tenants", () => {
  test("are listed with the role in each, and the present one", async () => {
    const { owner, guest } = await ofTwoTenants();
    const { status, body } = await call("GET", "/tenants", { token: guest.token });
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { id: guest.tenantId, name: "Personal", role: "owner", current: true },
      { id: owner.tenantId, name: "Personal", role: "viewer", current: false },
    ]);
  });

  test("accepting an invitation does not change where the next login leads", async () => {
    const { guest } = await ofTwoTenants();
    expect(await tenantOf((await logIn(guest)).token)).toBe(guest.tenantId);
  });

  test("switching gives a new pair for the same session, ends the old one, and is remembered for the next login", async () => {
    const { owner, guest } = await ofTwoTenants();
    const { status, body } = await switchTo(guest, owner.tenantId);
    expect([status, Object.keys(body.data).sort()]).toEqual([200, ["accessToken", "refreshToken"]]);
    const { accessToken, refreshToken } = body.data;
    expect(await tenantOf(accessToken)).toBe(owner.tenantId);
    expect((await call("GET", "/auth/me", { token: guest.token })).status).toBe(401);
    const sessions = await call("GET", "/auth/sessions", { token: accessToken });
    expect(sessions.body.data).toHaveLength(1);
    expect((await call("GET", "/members", { token: accessToken })).status).toBe(403);
    const refreshed = await call("POST", "/auth/refresh", { body: { refreshToken } });
    expect(await tenantOf(refreshed.body.data.accessToken)).toBe(owner.tenantId);
    const old = await call("POST", "/auth/refresh", { body: { refreshToken: guest.refreshToken } });
    expect(old.body.code).toBe("REFRESH_TOKEN_REUSED");
    expect(await tenantOf((await logIn(guest)).token)).toBe(owner.tenantId);
    expect(await tenantOf((await logIn(guest, PASSWORD, { tenantId: guest.tenantId })).token)).toBe(guest.tenantId);
    expect(await tenantOf((await logIn(guest)).token)).toBe(guest.tenantId);
  });

  test("a token from before does not work again when the session comes back", async () => {
    const { owner, guest } = await ofTwoTenants();
    vi.setSystemTime(Date.now() + 5_000);
    const there = (await switchTo(guest, owner.tenantId)).body.data.accessToken;
    const back = (await switchTo(guest, guest.tenantId, there)).body.data.accessToken;
    const statuses = [guest.token, there, back].map(async (token) => (await call("GET", "/auth/me", { token })).status);
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  test("switching beside refreshes keeps one generation: of all tokens given out exactly one refreshes", async () => {
    const { owner, guest } = await ofTwoTenants();
    const [switched, refreshed] = await Promise.all([
      switchTo(guest, owner.tenantId),
      call("POST", "/auth/refresh", { body: { refreshToken: guest.refreshToken } }),
    ]);
    const pairs = [switched, refreshed].filter(({ status }) => status === 200).map(({ body }) => body.data);
    const uses = [];
    for (const { refreshToken } of pairs) uses.push(await call("POST", "/auth/refresh", { body: { refreshToken } }));
    expect(uses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("a tenant of others does not exist", async () => {
    const guest = await signUpVerified();
    const stranger = await signUpVerified();
    for (const tenantId of [stranger.tenantId, "none"]) {
      const refused = await switchTo(guest, tenantId);
      expect([refused.status, refused.body.message]).toEqual([404, "Tenant not found"]);
    }
    expect((await switchTo(guest, "")).body.code).toBe("VALIDATION_FAILED");
    expect(await tenantOf(guest.token)).toBe(guest.tenantId);
  });
});

describe("leaving", () => {
  test("ends the sessions and keys in that tenant, and no others", async () => {
    const { owner, guest } = await ofTwoTenants();
    const there = await logIn(guest, PASSWORD, { tenantId: owner.tenantId });
    const also = await logIn(guest, PASSWORD, { tenantId: owner.tenantId });
    const { key, id, prefix } = (
      await call("POST", "/api-keys", { token: there.token, body: { name: "k", scopes: ["webhook.read"] } })
    ).body.data;
    const left = await leave(there.token);
    const endedApiKeys = [{ id, name: "k", prefix }];
    expect([left.status, left.body]).toEqual([200, { message: "You have left the tenant.", endedApiKeys }]);
    for (const token of [there.token, also.token, key])
      expect((await call("GET", "/webhooks", { token })).status).toBe(401);
    expect(await tenantOf(guest.token)).toBe(guest.tenantId);
    expect((await call("GET", "/members", { token: owner.token })).body.data).toHaveLength(1);
    expect(await tenantOf((await logIn(guest)).token)).toBe(guest.tenantId);
  });

  test("is refused to the last owner, also when two owners leave at once", async () => {
    const owner = await signUpVerified();
    const alone = await leave(owner.token);
    expect([alone.status, alone.body.code]).toEqual([409, "LAST_OWNER"]);
    const second = await joinTenant(owner, "owner");
    const answers = await Promise.all([leave(owner.token), leave(second.token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const row = await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE tenant_id = ? AND role = 'owner'")
      .bind(owner.tenantId)
      .first();
    expect(row).toEqual({ n: 1 });
  });

  test("needs no permission; who has no tenant left gets one of their own at the next login", async () => {
    const owner = await signUpVerified();
    const viewer = await joinTenant(owner, "viewer");
    expect((await leave(viewer.token)).status).toBe(200);
    const again = await logIn(viewer);
    expect(await tenantOf(again.token)).not.toBe(owner.tenantId);
  });
});

describe("an invitation holds only while its inviter could still give that role", () => {
  const invited = async (end: (owner: Person, admin: Person) => Promise<{ status: number }>) => {
    const owner = await signUpVerified();
    const admin = await joinTenant(owner, "admin");
    const guest = await signUpVerified();
    const token = await invite(admin, guest.email, "admin");
    expect((await end(owner, admin)).status).toBe(200);
    return call("POST", "/invitations/accept", { token: guest.token, body: { token } });
  };

  test.each<[string, (owner: Person, admin: Person) => Promise<{ status: number }>]>([
    ["removed", (owner, admin) => call("DELETE", `/members/${admin.userId}`, { token: owner.token })],
    [
      "demoted",
      (owner, admin) => call("PATCH", `/members/${admin.userId}`, { token: owner.token, body: { role: "developer" } }),
    ],
    ["who has left", (_owner, admin) => leave(admin.token)],
  ])("not of an admin %s", async (_what, end) => {
    const refused = await invited(end);
    expect([refused.status, refused.body.code]).toEqual([400, "INVALID_TOKEN"]);
  });

  test("of an owner who is an admin now, for other roles than owner", async () => {
    const owner = await signUpVerified();
    const second = await joinTenant(owner, "owner");
    const [high, low] = [await signUpVerified(), await signUpVerified()];
    const tokens = [await invite(second, high.email, "owner"), await invite(second, low.email, "viewer")];
    await call("PATCH", `/members/${second.userId}`, { token: owner.token, body: { role: "admin" } });
    const accept = (person: Person, token: string | undefined) =>
      call("POST", "/invitations/accept", { token: person.token, body: { token } });
    expect((await accept(high, tokens[0])).body.code).toBe("INVALID_TOKEN");
    expect((await accept(low, tokens[1])).status).toBe(200);
  });
});

describe("in the console", () => {
  test("a switcher in the sidebar leads to another tenant, for those who have several", async () => {
    const { owner, guest } = await ofTwoTenants();
    const browser = await signedIn(guest);
    expect((await browser.get("")).html).toContain('action="/console/tenants/switch"');
    const there = await browser.follow(await browser.post("/tenants/switch", { tenantId: owner.tenantId }));
    expect(there.html).toContain("You are working in another tenant now.");
    expect(there.html).toContain("viewer");
    expect((await browser.get("/people")).status).toBe(403);
    const refused = await browser.post("/tenants/switch", { tenantId: (await signUpVerified()).tenantId });
    expect([refused.status, refused.html.includes("Tenant not found")]).toEqual([404, true]);
    expect((await (await holding(owner)).get("")).html).not.toContain('action="/console/tenants/switch"');
  });

  test("a tenant is left on its own page, not by the last owner", async () => {
    const { owner, guest } = await ofTwoTenants();
    const browser = await signedIn(guest);
    await browser.post("/tenants/switch", { tenantId: owner.tenantId });
    const list = await browser.get("/tenants");
    expect(list.html).toContain("You are here");
    expect((await browser.get("/tenants/leave")).html).toContain("Leave Personal?");
    const left = await browser.follow(await browser.post("/tenants/leave"));
    expect(left.html).toContain("You have left the tenant.");
    const again = await signedIn(guest);
    const refused = await again.post("/tenants/leave");
    expect([refused.status, refused.html.includes("The last owner cannot leave.")]).toEqual([409, true]);
  });

  test("accepting an invitation keeps the session where it is", async () => {
    const owner = await signUpVerified();
    const guest = await signUpVerified();
    const browser = await signedIn(guest);
    const token = await invite(owner, guest.email, "viewer");
    const joined = await browser.follow(await browser.post("/accept-invitation", { token }));
    expect(joined.html).toContain("You have joined.");
    expect(joined.html).toContain(`value="${owner.tenantId}"`);
    expect((await browser.get("/people")).status).toBe(200);
  });
});
