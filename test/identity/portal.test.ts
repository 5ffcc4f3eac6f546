/** Portal links and tokens: who makes them, what they reach, and what ends them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, setRole, signUp, signUpVerified } from "../support/client";
import { costOf, countedEnv } from "../support/cost";
import { addPasskey, loginWith } from "../support/passkeys";
import { joinTenant } from "../support/people";
import { newPlatformKey } from "../support/platform-keys";
import { ALL, newPortalLink, newPortalToken, portal, READ } from "../support/portal";
import { REACH, reaches } from "../support/reach";
import { send } from "../support/routes";
import { enrol } from "../support/two-factor";

const CONFINED = "Portal access does not reach this.";
const make = (token: string, body: object, path = "/portal-links") => call("POST", path, { token, body });
const works = async (token: string) => (await call("GET", "/webhooks", { token })).status === 200;

describe("making", () => {
  test("a link answers its URL once, with the defaults", async () => {
    const { token } = await signUp();
    const theme = { colors: { accent: "#123456" }, logoUrl: "https://shop.example/logo.svg", title: "Shop" };
    const returnUrl = "http://localhost:3000/back";
    const { status, body } = await make(token, { permissions: READ, theme, returnUrl });
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        url: expect.stringMatching(/^https:\/\/postern\.test\/portal\/open\?token=pl_[0-9A-Za-z]{40}$/),
        permissions: READ,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        openedAt: null,
        theme,
        returnUrl,
      },
    ]);
    expect(Date.parse(body.data.expiresAt) - Date.parse(body.data.createdAt)).toBe(3_600_000);
    const { url: _, ...listed } = body.data;
    expect((await call("GET", "/portal-links", { token })).body.data).toEqual([{ ...listed, kind: "link" }]);
  });

  test("a token answers it once, and ends after 900 seconds", async () => {
    const { token } = await signUp();
    const { data } = (await make(token, { permissions: READ }, "/portal-tokens")).body;
    expect(Object.keys(data).sort()).toEqual(["createdAt", "expiresAt", "id", "permissions", "token"]);
    expect(data.token).toMatch(/^pt_[0-9A-Za-z]{40}$/);
    expect(Date.parse(data.expiresAt) - Date.parse(data.createdAt)).toBe(900_000);
    const [listed] = (await call("GET", "/portal-links", { token })).body.data;
    expect([listed.kind, listed.id, JSON.stringify(listed).includes(data.token)]).toEqual(["token", data.id, false]);
  });

  test.each([
    ["no permissions", { permissions: [] }],
    ["a permission of another kind", { permissions: ["webhook.read", "member.read"] }],
    ["no webhook.read", { permissions: ["webhook.update"] }],
    ["59 seconds", { permissions: READ, ttlSeconds: 59 }],
    ["more than a day", { permissions: READ, ttlSeconds: 86_401 }],
    ["a colour in words", { permissions: READ, theme: { colors: { text: "red" } } }],
    ["a colour that there is not", { permissions: READ, theme: { colors: { border: "#ffffff" } } }],
    ["a logo without TLS", { permissions: READ, theme: { logoUrl: "http://shop.example/logo.svg" } }],
    [
      "a logo at a host that ends the policy of the page",
      { permissions: READ, theme: { logoUrl: "https://a;sandbox/" } },
    ],
    ["a logo at any host", { permissions: READ, theme: { logoUrl: "https://*/logo.svg" } }],
    ["a way back without TLS", { permissions: READ, returnUrl: "http://shop.example/" }],
    ["a script as the way back", { permissions: READ, returnUrl: "javascript:alert(1)" }],
    ["a title of 81 characters", { permissions: READ, theme: { title: "x".repeat(81) } }],
    ["an unknown member", { permissions: READ, tenantId: "x" }],
  ])("is refused with %s", async (_name, body) => {
    const { token } = await signUp();
    expect((await make(token, body)).body.code).toBe("VALIDATION_FAILED");
  });

  test("is refused for a permission that the caller does not have", async () => {
    const owner = await signUp();
    const body = { name: "k", scopes: READ };
    const { key } = (await call("POST", "/api-keys", { token: owner.token, body })).body.data;
    for (const path of ["/portal-links", "/portal-tokens"]) {
      expect((await make(key, { permissions: READ }, path)).status).toBe(201);
      expect((await make(key, { permissions: ALL }, path)).body.code).toBe("FORBIDDEN");
    }
  });

  test("does not work in the tenant of the platform", async () => {
    const { key } = await newPlatformKey();
    const headers = { "postern-tenant": "platform" };
    const { status } = await call("POST", "/portal-links", { token: key, headers, body: { permissions: READ } });
    expect(status).toBe(404);
  });
});

describe("a portal token", () => {
  const routes = Object.values(REACH)
    .flat()
    .filter((route) => !reaches("anybody", route));
  const isReached = (route: string) => reaches("portal", route);

  test.each([
    ["webhook.read", READ],
    ["all permissions", ALL],
  ])("with %s reaches its routes within the permissions, and no other", async (_name, permissions) => {
    const { token } = await newPortalToken((await signUpVerified()).token, permissions);
    expect(routes.filter(isReached).length).toBeGreaterThan(20);
    const seen: string[] = [];
    for (const route of routes) {
      const { status, body } = await send(route, { token });
      if (isReached(route)) {
        expect([route, status < 500, status === 401]).toEqual([route, true, false]);
        if (status === 403) seen.push(route);
      } else {
        expect([route, status, body.message]).toEqual([route, 401, CONFINED]);
      }
    }
    const isRead = (route: string) => /^GET (?!\/listen$)|\/filter\/test$/.test(route);
    const isWrite = (route: string) => isReached(route) && !isRead(route);
    expect(seen).toEqual(permissions === ALL ? [] : routes.filter(isWrite));
  });

  test("says whose it is, and sees nothing of other tenants", async () => {
    const [owner, other] = [await signUp(), await signUp()];
    const { token } = await newPortalToken(owner.token, ALL);
    const { data } = (await call("GET", "/portal-session", { token })).body;
    expect(data).toEqual({
      tenant: { id: owner.tenantId, name: expect.any(String) },
      permissions: expect.arrayContaining([...ALL]),
      expiresAt: expect.any(String),
    });
    const headers = { "postern-tenant": other.tenantId };
    expect((await call("GET", "/webhooks", { token, headers })).status).toBe(404);
    expect((await call("GET", "/portal-session", { token: owner.token })).status).toBe(404);
  });

  test("leaves its id in the audit log", async () => {
    const owner = await signUpVerified();
    const { id, token } = await newPortalToken(owner.token, ALL);
    const body = { name: "theirs", url: "https://customer.example/in", events: ["*"], secret: "a-signing-secret" };
    expect((await call("POST", "/webhooks", { token, body })).status).toBe(201);
    const [event] = (await call("GET", "/audit?limit=1", { token: owner.token })).body.data;
    expect([event.action, event.actor]).toEqual(["webhook.created", { kind: "portal", id, name: null }]);
  });

  test("cannot subscribe to the audit log of the tenant", async () => {
    const { token } = await newPortalToken((await signUpVerified()).token, ALL);
    const body = {
      name: "log",
      url: "https://customer.example/in",
      events: ["postern.audit"],
      secret: "a-signing-secret",
    };
    expect((await call("POST", "/webhooks", { token, body })).status).toBe(403);
  });

  test("costs 6 rows to make as a link, and 3 to open", async () => {
    const person = await signUp();
    const made = await costOf("POST", "/portal-links", { token: person.token, body: { permissions: READ } });
    expect([made.status, made.rowsWritten]).toEqual([201, 6]);
    const { counted, cost } = countedEnv();
    const { token } = await newPortalLink(person.token);
    const opened = await portal("POST", "/open", { fields: { token }, variables: { DB: counted.DB } });
    expect([opened.status, cost.rowsWritten]).toEqual([303, 3]);
  });

  test("costs one trip and no written row to check", async () => {
    const { token } = await newPortalToken((await signUp()).token);
    const { status, trips, rowsWritten } = await costOf("GET", "/portal-session", { token });
    expect([status, trips, rowsWritten]).toEqual([200, 1, 0]);
  });

  test("is no link, and the token of a link is no credential", async () => {
    const { token } = await signUp();
    const { url } = (await make(token, { permissions: READ })).body.data;
    expect(await works(new URL(url).searchParams.get("token") ?? "")).toBe(false);
  });
});

describe("it ends", () => {
  test("at once when it is revoked, and cannot be revoked again", async () => {
    const { token } = await signUp();
    const made = await newPortalToken(token);
    expect(await works(made.token)).toBe(true);
    const revoke = () => call("DELETE", `/portal-links/${made.id}`, { token });
    expect((await revoke()).body).toEqual({ message: "Portal link revoked." });
    expect([await works(made.token), (await revoke()).status]).toEqual([false, 404]);
    expect((await call("GET", "/portal-links", { token })).body.data).toEqual([]);
  });

  test("when its time is over", async () => {
    const made = await newPortalToken((await signUp()).token);
    await env.DB.prepare("UPDATE portal_links SET expires_at = ? WHERE id = ?").bind(Date.now(), made.id).run();
    expect(await works(made.token)).toBe(false);
  });

  test("with what its maker may do: each permission that a role loses is gone", async () => {
    const owner = await signUp();
    const { token } = await newPortalToken(owner.token, ALL);
    const permissions = async () => (await call("GET", "/portal-session", { token })).body.data?.permissions.sort();
    await setRole(owner, "operator");
    expect(await permissions()).toEqual(["webhook.read", "webhook.update"]);
    await setRole(owner, "member");
    expect([await permissions(), await works(token)]).toEqual([undefined, false]);
  });

  test("with the API key that made it, and with the role of the key's owner", async () => {
    const owner = await signUpVerified();
    const developer = await joinTenant(owner, "developer");
    const body = { name: "k", scopes: READ };
    const { id, key } = (await call("POST", "/api-keys", { token: developer.token, body })).body.data;
    const made = await newPortalToken(key);
    expect(await works(made.token)).toBe(true);
    await setRole(developer, "member");
    expect(await works(made.token)).toBe(false);
    await setRole(developer, "viewer");
    expect(await works(made.token)).toBe(true);
    await call("DELETE", `/api-keys/${id}`, { token: developer.token });
    expect(await works(made.token)).toBe(false);
  });

  test("with the platform key that made it, and where that no longer sees the tenant", async () => {
    const owner = await signUp();
    const key = await newPlatformKey(["webhooks.read"]);
    const headers = { "postern-tenant": owner.tenantId };
    const made = await newPortalToken(key.key, READ, headers);
    expect(await works(made.token)).toBe(true);
    const change = (column: string, value: unknown) =>
      env.DB.prepare(`UPDATE platform_keys SET ${column} = ? WHERE id = ?`).bind(value, key.id).run();
    await change("tenants", JSON.stringify([crypto.randomUUID()]));
    expect(await works(made.token)).toBe(false);
    await change("tenants", JSON.stringify([owner.tenantId]));
    expect(await works(made.token)).toBe(true);
    await change("revoked_at", Date.now());
    expect(await works(made.token)).toBe(false);
  });

  test("with all sessions of its maker, which is recorded, and not with one of them", async () => {
    const owner = await signUpVerified();
    const again = await logIn(owner);
    const { token, id } = await newPortalToken(owner.token);
    await call("POST", "/auth/logout", { body: { refreshToken: again.refreshToken } });
    expect(await works(token)).toBe(true);
    await call("POST", "/auth/logout-all", { token: owner.token });
    expect(await works(token)).toBe(false);
    const { token: reader } = await logIn(owner);
    const { data } = (await call("GET", "/audit?action=portal.link_revoked", { token: reader })).body;
    expect(data).toMatchObject([{ target: { id }, meta: { reason: "logout-all" }, actor: { id: owner.userId } }]);
  });

  test("with the second factor that the tenant requires and its maker lacks, a passkey of later sessions too", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    const passkey = await addPasskey(member);
    const before = await newPortalToken(member.token);
    await enrol(owner);
    const body = { requireSecondFactor: "all", graceDays: 0 };
    await call("PATCH", "/tenant/security", { token: owner.token, body });
    expect(await works(before.token)).toBe(false);
    const { accessToken } = (await loginWith(passkey)).body.data;
    const after = await newPortalToken(accessToken);
    expect([await works(after.token), await works(before.token)]).toEqual([true, false]);
    await call("PATCH", "/tenant/security", { token: owner.token, body: { requireSecondFactor: "off" } });
    expect(await works(before.token)).toBe(true);
  });
});

test("members see what they have made, and those who manage members and platform keys see all", async () => {
  const owner = await signUpVerified();
  const [one, two] = [await joinTenant(owner, "viewer"), await joinTenant(owner, "viewer")];
  const made = await newPortalToken(one.token);
  const { key } = await newPlatformKey(["webhooks.read"]);
  const headers = { "postern-tenant": owner.tenantId };
  const seenBy = async (token: string, given = {}) =>
    (await call("GET", "/portal-links", { token, headers: given })).body.data.map(({ id }: { id: string }) => id);
  expect([await seenBy(one.token), await seenBy(two.token)]).toEqual([[made.id], []]);
  expect([await seenBy(owner.token), await seenBy(key, headers)]).toEqual([[made.id], [made.id]]);
  const revoke = async (token: string, given = {}) =>
    (await call("DELETE", `/portal-links/${made.id}`, { token, headers: given })).status;
  expect([await revoke(two.token), await revoke(key), await revoke(key, headers)]).toEqual([404, 400, 200]);
});
