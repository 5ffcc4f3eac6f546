/** What a request names of another tenant, or of the database itself, reaches nothing. */
import { describe, expect, test } from "vitest";
import { call, logIn, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { openApi } from "../support/contract";
import { collected } from "../support/query-plans";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

const loginWith = (person: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD, ...fields } });

describe("ids of another tenant", () => {
  test("in a body or a query select nothing", async () => {
    const [owner, stranger] = [await signUpVerified(), await signUpVerified()];
    const foreign = { webhook: "", attempt: "", event: "", delivery: "" };
    foreign.webhook = await subscribe(owner, newInbox("200").url);
    foreign.event = (await publish(owner, 1)).id;
    const [attempt] = await endedAttempts(owner, foreign.webhook, 1);
    foreign.attempt = attempt._id;
    foreign.delivery = attempt.deliveryId;
    const own = await subscribe(stranger, newInbox("200").url);
    await publish(stranger, 2);
    await endedAttempts(stranger, own, 1);
    const { token } = stranger;

    const page = await call("GET", `/webhooks/${own}/logs?cursor=${foreign.attempt}`, { token });
    expect(
      page.body.data.map((row: { payload: unknown }) => row.payload).filter((payload: unknown) => payload === 1),
    ).toEqual([]);
    for (const path of [
      `/webhooks/${own}/attempts/${foreign.attempt}`,
      `/webhooks/${foreign.webhook}/attempts/${foreign.attempt}`,
    ]) {
      expect((await call("GET", path, { token })).status).toBe(404);
    }
    for (const path of [
      `/webhooks/${own}/deliveries/${foreign.delivery}/retry`,
      `/webhooks/${foreign.webhook}/deliveries/${foreign.delivery}/retry`,
    ]) {
      expect((await call("POST", path, { token })).status).toBe(404);
    }
    const since = "2026-01-01T00:00:00Z";
    const retried = await call("POST", `/webhooks/${own}/retry-failed`, {
      token,
      body: { since, cursor: foreign.attempt },
    });
    expect(retried.body.data?.queued ?? 0).toBe(0);
    const switched = await call("POST", "/auth/switch-tenant", { token, body: { tenantId: owner.tenantId } });
    const login = await loginWith(stranger, { tenantId: owner.tenantId });
    expect([switched.body.message, login.body.message]).toEqual(["Tenant not found", "Tenant not found"]);
  });

  test("in extra fields of a body change nothing", async () => {
    const [owner, stranger] = [await signUpVerified(), await signUpVerified()];
    const extra = {
      tenantId: owner.tenantId,
      tenant_id: owner.tenantId,
      userId: owner.userId,
      invitedBy: owner.userId,
    };
    const { token } = stranger;
    const hook = await call("POST", "/webhooks", {
      token,
      body: { name: "n", url: newInbox("200").url, events: ["*"], secret: "s", ...extra },
    });
    expect(hook.body.data.tenantId).toBe(stranger.tenantId);
    const changed = await call("PATCH", `/webhooks/${hook.body.data._id}`, { token, body: { name: "m", ...extra } });
    expect(changed.body.data.tenantId).toBe(stranger.tenantId);
    await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"], ...extra } });
    await call("POST", "/invitations", { token, body: { email: newEmail(), role: "viewer", ...extra } });
    await call("POST", "/events", { token, body: { type: "OrderPaid", payload: 1, ...extra } });
    for (const path of ["/webhooks", "/api-keys", "/invitations"]) {
      expect((await call("GET", path, { token: owner.token })).body.data).toEqual([]);
    }
    const email = newEmail();
    const registered = await call("POST", "/auth/register", {
      body: { email, password: PASSWORD, ...extra, role: "owner" },
    });
    const me = await call("GET", "/auth/me", { token: registered.body.data.accessToken });
    expect(me.body.data.tenant.id).not.toBe(owner.tenantId);
  });
});

test("no name of a column, no order and no other text of a request becomes part of a statement", async () => {
  const marker = "zz_injected";
  const person = await logIn(await signUp());
  const id = await subscribe(person, newInbox("200").url);
  const { paths } = await openApi();
  const gets = Object.entries(paths).filter(([, operations]) => operations.get);
  expect(gets.length).toBeGreaterThan(10);
  const names = [
    "sort",
    "order",
    "orderBy",
    "column",
    "fields",
    "filter",
    "cursor",
    "status",
    "eventType",
    "since",
    "limit",
    "hours",
    "q",
  ];
  for (const [path] of gets) {
    const concrete = path.replace(/\{[^}]+\}/, id).replaceAll(/\{[^}]+\}/g, marker);
    const at = concrete.startsWith("/api/v1") ? concrete.slice("/api/v1".length) : `/${concrete}`;
    for (const name of names) {
      const { status } = await call("GET", `${at}?${name}=${marker}`, { token: person.token, redirect: "manual" });
      expect(status, `${at}?${name}`).toBeLessThan(500);
    }
  }
  await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { [marker]: 1, name: marker } });
  const statements = collected();
  expect(statements.length).toBeGreaterThan(20);
  expect(statements.filter((text) => text.includes(marker))).toEqual([]);
});
