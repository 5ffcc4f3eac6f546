/** A tenant that requires its own sign-on: what that takes, who is refused where, and what must stay meanwhile. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { beginSignOn } from "../../src/sign-on/policy/begin";
import { call, logIn, PASSWORD, setRole, signUpVerified } from "../support/client";
import { inside, ready, refreshed, require, run, statusOf, strict } from "../support/enforcing";
import { mailTo } from "../support/mailbox";
import { newBrowser } from "../support/oauth";
import { operate, operator } from "../support/operators";
import { joinTenant } from "../support/people";
import { setup } from "../support/portal";
import { knownWord, moveInto, newConnection, newTenant, one, signOnAs, wordOf } from "../support/signed-on";
import { codeOf, enrol } from "../support/two-factor";

const MUST = "SIGN_ON_REQUIRED";
/** The form of a setup link about a connection. */
const SETUP_FIELDS = {
  "oidc.issuer": "https://id.issuer.example",
  "oidc.clientId": "an-id",
  "oidc.clientSecret": "a-secret",
  "oidc.clientAuth": "secret",
  "attributes.subject": "sub",
};

describe("requiring sign-on", () => {
  test("takes a connection, a proved domain, a trial and a factor of the owner's own, and names what is missing", async () => {
    const owner = await signUpVerified();
    const missing = async (who: string) => {
      const { status, body } = await require(owner, { require: who });
      return [status, ...(body.details ?? []).map(({ path }: { path: string }) => path)];
    };
    expect(await missing("all")).toEqual([409, "connection", "test", "factor"]);
    expect(await missing("domains")).toEqual([409, "domain"]);
    const word = await knownWord(owner);
    expect(await missing("domains")).toEqual([409, "factor"]);
    await enrol(owner);
    await run("UPDATE connection_identities SET created_at = 1 WHERE connection_id = ?", word.connectionId);
    expect(await missing("all")).toEqual([409, "test"]);
    await signOnAs(word);
    await run("UPDATE sessions SET amr = '[\"password\"]' WHERE user_id = ?", owner.userId);
    const { data } = (await require(owner, { require: "all", graceDays: 3 })).body;
    expect(data.signOn).toMatchObject({ require: "all", graceDays: 3, membersWithout: 0, endsThisSession: true });
    expect(Date.parse(data.signOn.from) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
    expect(await inside(owner)).toBe(200);
    for (const bad of [
      { require: "some" },
      { require: "all", graceDays: 91 },
      { graceDays: 1 },
      { require: "off", x: 1 },
    ]) {
      expect((await require(owner, bad)).status).toBe(400);
    }
    expect((await require(owner, { require: "off" })).body.data).not.toHaveProperty("signOn");
  });

  test("is read by members, changed by owners, recorded and mailed", async () => {
    const { owner } = await ready();
    const other = await joinTenant(owner, "viewer");
    await setRole(other, "owner");
    const admin = await joinTenant(owner, "admin");
    expect((await require(admin, { require: "off" })).status).toBe(403);
    expect((await require(owner, { require: "domains" })).status).toBe(200);
    expect((await mailTo(other.email, /single sign-on in your tenant/)).text).toContain("in 7 days");
    expect((await call("GET", "/tenant/security", { token: admin.token })).body.data.signOn).toMatchObject({
      require: "domains",
      membersWithout: 0,
      endsThisSession: false,
    });
    const meta = await one<{ meta: string }>(
      "SELECT meta FROM audit_events WHERE tenant_id = ? AND action = 'tenant.security_changed'",
      owner.tenantId,
    );
    expect(JSON.parse(meta?.meta ?? "")).toEqual({ signOn: "domains", signOnGraceDays: 7 });
  });
});

describe("a member who has not signed on", () => {
  test("is refused everywhere but below /auth/, with the address that starts it, and in again when it ends", async () => {
    const { member, owner, connection } = await strict();
    const refused = await call("GET", "/webhooks", { token: member.token });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      403,
      MUST,
      "Your organisation requires single sign-on.",
    ]);
    const address = `https://postern.test/api/v1/auth/sign-on?connection=${connection.id}`;
    expect(refused.body.details).toEqual([{ path: "signOn", message: address }]);
    expect((await call("GET", "/auth/me", { token: member.token })).status).toBe(200);
    expect(await refreshed(member)).toBe(MUST);
    const totp = { password: "not the password", email: member.email };
    expect((await call("POST", "/auth/login", { body: totp })).body.code).toBe("UNAUTHENTICATED");
    await run("UPDATE tenants SET sign_on = NULL, sign_on_from = NULL WHERE id = ?", owner.tenantId);
    expect([await inside(member), await refreshed(member)]).toEqual([200, 200]);
  });

  test("gets in by the provider, and by no other way", async () => {
    const { connection } = await strict();
    const known = await signOnAs(wordOf(connection, { role: { role: "developer", rule: null } }));
    expect([await inside(known), await refreshed(known)]).toEqual([200, 200]);
  });

  test("logs in to the tenant used last of those that let them in, and does not switch to the others", async () => {
    const { owner } = await strict();
    const person = await signUpVerified();
    await run(
      "INSERT INTO memberships (tenant_id, user_id, role, last_used_at, created_at) VALUES (?, ?, 'viewer', 9e12, 1)",
      owner.tenantId,
      person.userId,
    );
    expect((await logIn(person)).tenantId).toBe(person.tenantId);
    const body = { tenantId: owner.tenantId };
    expect(await statusOf(call("POST", "/auth/switch-tenant", { token: person.token, body }))).toBe(MUST);
    const refused = await call("POST", "/auth/login", {
      body: { email: person.email, password: PASSWORD, tenantId: owner.tenantId },
    });
    expect(refused.status).toBeGreaterThanOrEqual(401);
    expect(await inside(person)).toBe(200);
  });

  test("is one with an address of the domains, if it is about these, also once they are lost", async () => {
    const { member, owner, connection } = await strict("domains");
    expect(await inside(member)).toBe(200);
    await moveInto(connection, member);
    expect(await inside(member)).toBe(MUST);
    await run("UPDATE domains SET state = 'lost' WHERE tenant_id = ?", owner.tenantId);
    expect([await inside(member), await refreshed(member)]).toEqual([MUST, MUST]);
    await run("UPDATE domains SET needs_review = 1 WHERE tenant_id = ?", owner.tenantId);
    expect(await inside(member)).toBe(200);
  });

  test("loses portal tokens, and keeps API keys", async () => {
    const { owner } = await ready();
    const member = await joinTenant(owner, "admin");
    const made = { token: member.token, body: { name: "ci", scopes: ["webhook.read"] } };
    const { key } = (await call("POST", "/api-keys", made)).body.data;
    const portal = { token: member.token, body: { permissions: ["webhook.read"] } };
    const { token } = (await call("POST", "/portal-tokens", portal)).body.data;
    expect(await inside({ token })).toBe(200);
    await require(owner, { require: "all", graceDays: 0 });
    expect([await inside({ token: key }), await inside({ token })]).toEqual([200, "UNAUTHENTICATED"]);
  });
});

/** Who gets into a tenant that requires sign-on: of all, or of the addresses of its domains. */
describe.each(["all", "domains"] as const)("where it is required of %s", (who) => {
  test.each(["admin", "operator", "developer", "member", "viewer"])(
    "a role other than owner is no way around it: %s",
    async (role) => {
      const { owner } = await ready();
      const [inside, outside] = [await joinTenant(owner, role), await joinTenant(owner, role)];
      const proved = await one<{ domain: string }>("SELECT domain FROM domains WHERE tenant_id = ?", owner.tenantId);
      const connection = { id: "", tenantId: owner.tenantId, domain: proved?.domain ?? "" };
      const member = await moveInto(connection, inside);
      const secret = await enrol(member);
      expect((await require(owner, { require: who, graceDays: 0 })).status).toBe(200);
      const login = (email: string, totp?: string) =>
        statusOf(call("POST", "/auth/login", { body: { email, password: PASSWORD, tenantId: owner.tenantId, totp } }));
      expect(await login(member.email, codeOf(secret, 1))).toBe(MUST);
      expect(await login(outside.email)).toBe(who === "all" ? MUST : 200);
    },
  );

  test("an owner needs two factors of their own, whatever the address", async () => {
    const { owner } = await ready();
    const other = await joinTenant(owner, "viewer");
    await setRole(other, "owner");
    const proved = await one<{ domain: string }>("SELECT domain FROM domains WHERE tenant_id = ?", owner.tenantId);
    const { email } = await moveInto({ id: "", tenantId: owner.tenantId, domain: proved?.domain ?? "" }, other);
    expect((await require(owner, { require: who, graceDays: 0 })).status).toBe(200);
    const body = { email, password: PASSWORD, tenantId: owner.tenantId };
    expect(await statusOf(call("POST", "/auth/login", { body }))).toBe(MUST);
    await run("UPDATE tenants SET sign_on = NULL, sign_on_from = NULL WHERE id = ?", owner.tenantId);
    const secret = await enrol(other);
    await require(owner, { require: who, graceDays: 0 });
    expect(await statusOf(call("POST", "/auth/login", { body: { ...body, totp: codeOf(secret, 1) } }))).toBe(200);
  });
});

describe("an owner without the provider", () => {
  test("gets in with two factors, which is recorded, and all owners are told", async () => {
    const { owner, secret } = await strict();
    const other = await joinTenant(
      { ...owner, ...(await logIn(owner, undefined, { totp: codeOf(secret) })) },
      "viewer",
    ).catch(() => null);
    expect(other).toBeNull();
    const event = await one<{ meta: string }>(
      `SELECT meta FROM audit_events WHERE tenant_id = ? AND action = 'auth.login' ORDER BY id DESC`,
      owner.tenantId,
    );
    expect(JSON.parse(event?.meta ?? "")).toEqual({ method: "password", factor: "totp", breakGlass: true });
    expect((await mailTo(owner.email, /without single sign-on/)).text).toContain(owner.email);
  });

  test("who operates the service is not asked", async () => {
    const { owner } = await strict();
    const person = await operator();
    await run(
      "INSERT INTO memberships (tenant_id, user_id, role, last_used_at, created_at) VALUES (?, ?, 'viewer', 0, 1)",
      owner.tenantId,
      person.userId,
    );
    const body = { tenantId: owner.tenantId };
    const { status, body: answer } = await call("POST", "/auth/switch-tenant", { token: person.token, body });
    const there = { token: answer.data.accessToken };
    expect([status, await inside(there)]).toEqual([200, 200]);
    const reason = { reason: "The provider is gone" };
    const end = () => operate(there, "POST", `/tenants/${owner.tenantId}/sign-on/end`, reason);
    expect((await end()).status).toBe(200);
    expect((await end()).status).toBe(409);
    expect(await inside(owner)).toBe(200);
    expect((await mailTo(owner.email, /not required any more/)).text).toContain("operator");
  });
});

describe("while sign-on is required", () => {
  test("the last connection stays active, whatever is done to it", async () => {
    const { owner, secret, connection } = await strict();
    const { token } = await logIn(owner, undefined, { totp: codeOf(secret) });
    const at = `/tenant/connections/${connection.id}`;
    const tries = () =>
      Promise.all([
        call("POST", `${at}/disable`, { token, body: {} }),
        call("DELETE", at, { token, body: { members: "keep" } }),
        call("PATCH", at, { token, body: { oidc: { clientId: null } } }),
      ]);
    expect((await tries()).map(({ status }) => status)).toEqual([409, 409, 409]);
    // What a setup link changes waits for a review, and signs nobody in meanwhile.
    const body = { may: ["connection"], connectionId: connection.id };
    const { url } = (await call("POST", "/tenant/setup-links", { token, body })).body.data;
    const opening = { token: new URL(url).searchParams.get("token") ?? "" };
    const { cookies } = await setup("POST", "/open", { fields: opening });
    const edit = { cookie: cookies[0]?.split(";")[0] ?? "", fields: { ...SETUP_FIELDS, name: "New" } };
    expect((await setup("POST", `/connections/${connection.id}`, edit)).status).toBe(409);
    expect(await one("SELECT state FROM connections WHERE id = ?", connection.id)).toEqual({ state: "active" });
    await newConnection(owner.tenantId);
    expect((await call("POST", `${at}/disable`, { token, body: {} })).status).toBe(200);
  });

  test("the last domain goes only together with the requirement", async () => {
    const { owner, secret, connection } = await strict();
    const { token } = await logIn(owner, undefined, { totp: codeOf(secret) });
    const remove = (body: object) => call("DELETE", `/tenant/domains/${connection.domain}`, { token, body });
    expect((await remove({})).status).toBe(409);
    expect((await remove({ endEnforcement: true })).status).toBe(200);
    expect(await inside(owner)).toBe(200);
  });

  test("of enforcing and disabling at once, one wins", async () => {
    const { owner, connection } = await ready();
    const { token } = owner;
    const path = `/tenant/connections/${connection.id}/disable`;
    const tries = Array.from({ length: 10 }, () => [
      require(owner, { require: "all" }),
      call("POST", path, { token, body: {} }),
    ]);
    const answers = await Promise.all(tries.flat());
    const [required, disabled] = [0, 1].map(
      (kind) => answers.filter(({ status }, at) => at % 2 === kind && status === 200).length,
    );
    const state = await one<{ isOn: 0 | 1; isOpen: 0 | 1 }>(
      `SELECT sign_on_from IS NOT NULL AS isOn, (SELECT state = 'active' FROM connections WHERE id = ?) AS isOpen
       FROM tenants WHERE id = ?`,
      connection.id,
      owner.tenantId,
    );
    expect(state?.isOn).toBe(state?.isOpen);
    // Who has required it may say so again.
    expect([required, disabled]).toEqual(state?.isOn === 1 ? [10, 0] : [0, 10]);
  });

  test("tokens of other services end once, when it begins", async () => {
    const { owner } = await ready();
    await require(owner, { require: "all" });
    await run("UPDATE tenants SET sign_on_from = 1 WHERE id = ?", owner.tenantId);
    const deps = await createDeps(env, createExecutionContext());
    const rows = () => one<{ n: number }>("SELECT count(*) AS n FROM revocations WHERE key = ?", `t:${owner.tenantId}`);
    for (let minute = 0; minute < 2; minute += 1) {
      await beginSignOn({ ...deps, now: () => Date.now() + minute * 60_000 }, 0, "", () => false);
    }
    expect(await rows()).toEqual({ n: 1 });
  });

  test("the console leads to the provider", async () => {
    const { member, connection } = await strict();
    const form = { email: member.email, password: PASSWORD };
    const { status, body } = await newBrowser().send("POST", "/console/sign-in", { form });
    expect([status, String(body).includes(`/auth/sign-on?connection=${connection.id}`)]).toEqual([403, true]);
  });
});

test("a tenant of somebody else is not concerned", async () => {
  await strict();
  const { owner } = await newTenant();
  expect([await inside(owner), await refreshed(owner)]).toEqual([200, 200]);
});
