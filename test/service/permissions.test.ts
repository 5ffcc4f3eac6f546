/** Every mounted route by role, by API key and by another tenant's ids. A route that is not in the table fails. */
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { BUILT_IN_ROLES, PERMISSIONS, type Permission, permissionsOf } from "../../src/base/schemas/roles";
import { call, newEmail, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { joinTenant } from "../support/people";
import { reaches } from "../support/reach";
import { APPS, APPS_OF_PLATFORM, CLIENTS, NEEDS_OF_CLIENTS, NEW_CLIENT } from "../support/reach-clients";
import { NEEDS_OF_SIGN_ON } from "../support/reach-connections";
import { DOMAINS_OF_PLATFORM } from "../support/reach-sign-on";
import { newInbox, subscribe } from "../support/receiver";
import { MISSING, OPEN, send } from "../support/routes";

/**
 * What an authenticated route requires: a permission, or to be an owner. `REACH` says which credentials it takes.
 */
const NEEDS: Record<string, { permission?: Permission; owner?: true }> = {
  "GET /auth/me": {},
  "DELETE /auth/me": {},
  "PATCH /auth/me": {},
  "POST /auth/change-email": {},
  "POST /auth/change-email/confirm": {},
  "POST /auth/step-up/options": {},
  "POST /auth/step-up": {},
  "POST /auth/passkeys/options": {},
  "POST /auth/passkeys": {},
  "GET /auth/passkeys": {},
  "PATCH /auth/passkeys/:id": {},
  "DELETE /auth/passkeys/:id": {},
  "GET /auth/sessions": {},
  "DELETE /auth/sessions/:id": {},
  "POST /auth/resend-verification": {},
  "POST /auth/change-password": {},
  "POST /auth/2fa/enable": {},
  "POST /auth/2fa/verify": {},
  "POST /auth/2fa/disable": {},
  "POST /auth/2fa/recovery-codes": {},
  "POST /api-keys": {},
  "GET /api-keys": {},
  "DELETE /api-keys/:id": {},
  "GET /auth/identities": {},
  "POST /auth/identities/:id": {},
  "DELETE /auth/identities/:id": {},
  "GET /tenants": {},
  "DELETE /tenant": { owner: true },
  "GET /tenant/export": { owner: true },
  "GET /tenant/security": { permission: "member.read" },
  "PATCH /tenant/security": { owner: true },
  ...NEEDS_OF_SIGN_ON,
  ...NEEDS_OF_CLIENTS,
  "GET /auth/me/export": {},
  "POST /auth/switch-tenant": {},
  "DELETE /members/me": {},
  "PATCH /members/me": {},
  "GET /members": { permission: "member.read" },
  "PATCH /members/:userId": { permission: "member.manage" },
  "DELETE /members/:userId": { permission: "member.manage" },
  "POST /invitations": { permission: "member.manage" },
  "GET /invitations": { permission: "member.read" },
  "DELETE /invitations/:id": { permission: "member.manage" },
  "POST /invitations/accept": {},
  "POST /webhooks": { permission: "webhook.create" },
  "POST /webhooks/import": { permission: "webhook.create" },
  "GET /webhooks": { permission: "webhook.read" },
  "GET /webhooks/:id": { permission: "webhook.read" },
  "GET /webhooks/:id/logs": { permission: "webhook.read" },
  "POST /webhooks/:id/filter/test": { permission: "webhook.read" },
  "GET /webhooks/:id/metrics": { permission: "webhook.read" },
  "GET /webhooks/:id/attempts/:attemptId": { permission: "webhook.read" },
  "POST /webhooks/:id/deliveries/:deliveryId/retry": { permission: "webhook.update" },
  "POST /webhooks/:id/retry-failed": { permission: "webhook.update" },
  "POST /webhooks/:id/replay": { permission: "webhook.update" },
  "GET /webhooks/:id/replays": { permission: "webhook.read" },
  "GET /webhooks/:id/replays/:replayId": { permission: "webhook.read" },
  "DELETE /webhooks/:id/replays/:replayId": { permission: "webhook.update" },
  "GET /webhooks/:id/stats": { permission: "webhook.read" },
  "GET /stats": { permission: "webhook.read" },
  "PATCH /webhooks/:id": { permission: "webhook.update" },
  "DELETE /webhooks/:id": { permission: "webhook.delete" },
  "POST /webhooks/:id/pause": { permission: "webhook.update" },
  "POST /webhooks/:id/resume": { permission: "webhook.update" },
  "POST /webhooks/:id/retry": { permission: "webhook.update" },
  "POST /webhooks/:id/test": { permission: "webhook.update" },
  "POST /webhooks/:id/secret/rotate": { permission: "webhook.update" },
  "DELETE /webhooks/:id/secret/previous": { permission: "webhook.update" },
  "GET /events": { permission: "webhook.read" },
  "GET /events/:id": { permission: "webhook.read" },
  "POST /events": { permission: "event.publish" },
  "POST /events/batch": { permission: "event.publish" },
  "GET /event-types": { permission: "webhook.read" },
  "POST /event-types": { permission: "webhook.create" },
  "GET /event-types/export": { permission: "webhook.read" },
  "POST /event-types/import": { permission: "webhook.create" },
  "GET /event-types/:name": { permission: "webhook.read" },
  "PATCH /event-types/:name": { permission: "webhook.update" },
  "DELETE /event-types/:name": { permission: "webhook.delete" },
  "POST /event-types/:name/versions": { permission: "webhook.update" },
  "GET /event-types/:name/versions": { permission: "webhook.read" },
  "GET /event-types/:name/versions/:version": { permission: "webhook.read" },
  "POST /event-types/:name/validate": { permission: "webhook.read" },
  "GET /tenant/event-types": { permission: "webhook.read" },
  "PATCH /tenant/event-types": { permission: "member.manage" },
  "POST /sources": { permission: "source.manage" },
  "GET /sources": { permission: "webhook.read" },
  "GET /sources/:id": { permission: "webhook.read" },
  "PATCH /sources/:id": { permission: "source.manage" },
  "DELETE /sources/:id": { permission: "source.manage" },
  "POST /sources/:id/secrets": { permission: "source.manage" },
  "DELETE /sources/:id/secrets/:secretId": { permission: "source.manage" },
  "POST /sources/:id/test": { permission: "source.manage" },
  "GET /sources/:id/errors": { permission: "webhook.read" },
  "POST /listen": { permission: "webhook.create" },
  "GET /listen": { permission: "webhook.create" },
  "POST /listen/:id/ticket": { permission: "webhook.create" },
  "DELETE /listen/:id": { permission: "webhook.create" },
  "POST /feeds": { permission: "webhook.create" },
  "GET /feeds": { permission: "webhook.read" },
  "GET /feeds/:id": { permission: "webhook.read" },
  "PATCH /feeds/:id": { permission: "webhook.update" },
  "DELETE /feeds/:id": { permission: "webhook.delete" },
  "POST /feeds/:id/token": { permission: "webhook.update" },
  "GET /feeds/:id/events": { permission: "webhook.read" },
  "GET /feeds/:id/consumers": { permission: "webhook.read" },
  "POST /feeds/:id/consumers/:name/ack": { permission: "webhook.update" },
  "POST /feeds/:id/consumers/:name/seek": { permission: "webhook.update" },
  "DELETE /feeds/:id/consumers/:name": { permission: "webhook.update" },
  "POST /portal-links": { permission: "webhook.read" },
  "GET /portal-links": { permission: "webhook.read" },
  "DELETE /portal-links/:id": { permission: "webhook.read" },
  "POST /portal-tokens": { permission: "webhook.read" },
  "GET /portal-session": {},
  "GET /auth/me/activity": {},
  "GET /audit": { permission: "audit.read" },
  "GET /audit/export": { permission: "audit.read" },
  // 404 for everybody but operators; operators.isolated.test.ts and platform-keys.test.ts have those.
  ...Object.fromEntries([...APPS, ...APPS_OF_PLATFORM, ...CLIENTS, ...DOMAINS_OF_PLATFORM].map((route) => [route, {}])),
  "POST /platform/keys": {},
  "GET /platform/keys": {},
  "POST /platform/keys/:id/rotate": {},
  "DELETE /platform/keys/:id/previous": {},
  "DELETE /platform/keys/:id": {},
  // For platform keys alone; platform-api.test.ts has those.
  "GET /platform/usage": {},
  "POST /platform/tenants": {},
  "GET /platform/tenants": {},
  "GET /platform/tenants/:tenant": {},
  "PATCH /platform/tenants/:tenant": {},
  "DELETE /platform/tenants/:tenant": {},
  "POST /platform/tenants/:tenant/suspend": {},
  "POST /platform/tenants/:tenant/resume": {},
  "POST /platform/tenants/:tenant/invitations": {},
  "GET /platform/tenants/:tenant/security": {},
  "PATCH /platform/tenants/:tenant/security": {},
  "GET /platform/tenants/:tenant/members": {},
  "POST /platform/tenants/:tenant/members": {},
  "PATCH /platform/tenants/:tenant/members/:user": {},
  "DELETE /platform/tenants/:tenant/members/:user": {},
  "POST /platform/imports": {},
  "GET /platform/imports": {},
  "GET /platform/imports/:id": {},
  "PUT /platform/imports/:id/parts/:n": {},
  "POST /platform/imports/:id/start": {},
  "GET /platform/imports/:id/report": {},
  "DELETE /platform/imports/:id": {},
  "POST /platform/users": {},
  "GET /platform/users": {},
  "GET /platform/users/:user": {},
  "PATCH /platform/users/:user": {},
  "DELETE /platform/users/:user": {},
  "POST /platform/users/:user/suspend": {},
  "POST /platform/users/:user/resume": {},
  "POST /platform/users/:user/sessions/revoke": {},
  "POST /platform/users/:user/mails": {},
  "GET /operator/search": {},
  "GET /operator/audit": {},
  "GET /operator/status": {},
  "GET /operator/tenants/:id": {},
  "GET /operator/people/:id": {},
  "POST /operator/domains/:domain/move": {},
  "POST /operator/tenants/:id/sign-on/end": {},
  "POST /operator/tenants/:id/suspend": {},
  "POST /operator/tenants/:id/resume": {},
  "POST /operator/people/:id/suspend": {},
  "POST /operator/people/:id/resume": {},
  "POST /operator/people/:id/sessions/revoke": {},
  "POST /operator/people/:id/two-factor/remove": {},
  "POST /operator/tenants/:id/move": {},
  "POST /operator/tenants/:id/move/cancel": {},
  "POST /operator/sends/hold": {},
  "POST /operator/sends/release": {},
  "POST /operator/tenants/:id/sends/hold": {},
  "POST /operator/tenants/:id/sends/release": {},
  "POST /auth/logout-all": {},
};

test("the table names every route under /api/v1, and no other", () => {
  const mounted = app.routes
    .filter((route) => route.method !== "ALL" && route.path.startsWith("/api/v1/"))
    .map((route) => `${route.method} ${route.path.slice("/api/v1".length)}`);
  expect([...new Set(mounted)].sort()).toEqual([...Object.keys(NEEDS), ...OPEN, "GET /openapi.json"].sort());
});

describe.each(BUILT_IN_ROLES)("a %s", (role) => {
  const refusals = (needs: [string, boolean][]) => needs.filter(([, refused]) => refused).map(([route]) => route);
  test("is refused with 403 exactly where the role lacks the permission", async () => {
    const [person, other] = [await signUpVerified(), await signUpVerified()];
    const [leaver, deleter] = [await signUpVerified(), await signUpVerified()];
    for (const one of [person, other, leaver, deleter]) await setRole(one, role);
    const ending: Record<string, Person> = { "DELETE /members/me": leaver, "DELETE /tenant": deleter };
    const held = permissionsOf(role);
    const seen: string[] = [];
    for (const [at, route] of Object.keys(NEEDS).entries()) {
      // Two people by turns: one has 60 refusals a minute.
      const { token } = ending[route] ?? (at % 2 === 0 ? person : other);
      const { status, body } = await send(route, { token });
      expect([route, body.code], route).not.toEqual([route, "UNAUTHENTICATED"]);
      expect(status, route).toBeLessThan(500);
      if (status === 403) seen.push(route);
    }
    const lacking = Object.entries(NEEDS).map(([route, { permission, owner }]): [string, boolean] => [
      route,
      (permission !== undefined && !held.includes(permission)) || (owner === true && role !== "owner"),
    ]);
    expect(seen).toEqual(refusals(lacking));
  });

  test("has no more by an API key with every scope, and none where keys are not taken", async () => {
    const person = await signUp();
    const make = () => call("POST", "/api-keys", { token: person.token, body: { name: "k", scopes: PERMISSIONS } });
    // Each key may be refused 60 times a minute.
    const made = await Promise.all([make(), make(), make()]);
    await setRole(person, role);
    const held = permissionsOf(role);
    for (const [place, [route, { permission }]] of Object.entries(NEEDS).entries()) {
      const { status } = await send(route, { token: made[place % made.length]?.body.data.key });
      if (!reaches("API key", route)) expect([route, status]).toEqual([route, 401]);
      else if (permission && !held.includes(permission)) expect([route, status]).toEqual([route, 403]);
      else expect([200, 400, 404], route).toContain(status);
    }
  });
});

test("another tenant's ids are answered as missing ones, on every route that takes an id", async () => {
  const owner = await signUp();
  const stranger = await signUp();
  const { token } = owner;
  const guest: Person = await joinTenant(owner, "viewer");
  const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } });
  const invitation = await call("POST", "/invitations", { token, body: { email: newEmail(), role: "viewer" } });
  const sessions = await call("GET", "/auth/sessions", { token });
  const ids: Record<string, string> = {
    members: guest.userId,
    "api-keys": key.body.data.id,
    invitations: invitation.body.data.id,
    auth: sessions.body.data[0].id,
    webhooks: await subscribe(owner, newInbox("200").url),
    "event-types": (await call("POST", "/event-types", { token, body: { name: "order.paid", schema: true } })).body.data
      .name,
    sources: (await call("POST", "/sources", { token, body: { name: "n", provider: "github", secrets: ["a secret"] } }))
      .body.data.id,
    "portal-links": (await call("POST", "/portal-links", { token, body: { permissions: ["webhook.read"] } })).body.data
      .id,
    feeds: (await call("POST", "/feeds", { token, body: { name: "n", events: ["*"] } })).body.data.id,
    tenant: (await call("POST", "/tenant/clients", { token, body: NEW_CLIENT })).body.data.id,
    listen: (await call("POST", "/listen", { token, body: { events: ["*"] } })).body.data._id,
    events: (await call("POST", "/events", { token, body: { type: "OrderPaid", payload: 1 } })).body.data.id,
  };
  for (const route of Object.keys(NEEDS).filter((name) => name.includes(":"))) {
    const id = ids[route.split("/")[1] ?? ""] ?? "";
    const body = route.includes("members")
      ? { role: "admin" }
      : { since: new Date(Date.now() - 60_000).toISOString(), which: "failed", name: "other" };
    const sample = { headers: {}, body: "" };
    const bodyFor = (target: string) => {
      const ofPost = {
        "/secrets": { secret: "a secret" },
        "/test": sample,
        "/token": {},
        "/consumers/:name/ack": { cursor: `1-${target.slice(-12)}` },
        "/consumers/:name/seek": { to: "now" },
      }[route.match(/^POST \/(?:sources|feeds)\/:id(.*)/)?.[1] ?? ""];
      if (route.endsWith("/validate")) return { payload: 1 };
      if (route.endsWith("/filter/test")) return { type: "a", payload: 1 };
      if (route.endsWith("/versions")) return { schema: true };
      if (route.startsWith("PUT /tenant/apps/")) return { state: null };
      if (/tenant\/(clients|resources)/.test(route)) return route.startsWith("PATCH") ? { name: "other" } : {};
      if (/\/scim-tokens|\/release|\/preview/.test(route)) return route.endsWith("/preview") ? { rules: [] } : {};
      if (route.includes("/connections/:id")) return route.startsWith("DELETE") ? { members: "keep" } : { name: "a" };
      if (route === "PATCH /event-types/:name") return { archived: true };
      return ofPost ?? (/^PATCH \/(sources|feeds)/.test(route) ? { name: "other" } : body);
    };
    const foreign = await send(route, { token: stranger.token, id, body: bodyFor(id) });
    const missing = await send(route, { token: stranger.token, body: bodyFor(MISSING) });
    expect([route, foreign.status, foreign.body.code]).toEqual([route, 404, "NOT_FOUND"]);
    expect({ ...foreign.body, requestId: "" }).toEqual({ ...missing.body, requestId: "" });
  }
  const hook = await call("GET", `/webhooks/${ids.webhooks}`, { token });
  expect(hook.body.data).toMatchObject({ name: "test", enabled: true, version: 0 });
  expect((await call("GET", "/members", { token })).body.data[1].role).toBe("viewer");
});
