/** Kinds of bugs that similar services have had. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { call, logIn, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { openApi } from "../support/contract";
import { joinTenant } from "../support/people";
import { collected } from "../support/query-plans";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

const loginWith = (person: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD, ...fields } });

describe("S10: while the database fails", () => {
  const failing = {
    prepare: (query: string) => {
      const statement = env.DB.prepare(query);
      const fail = () => Promise.reject(new Error("D1_ERROR: storage reset"));
      const broken = { bind: () => broken, all: fail, raw: fail, run: fail, first: fail };
      return /from "?users"?/i.test(query) ? broken : statement;
    },
    batch: () => Promise.reject(new Error("D1_ERROR: storage reset")),
  } as unknown as D1Database;

  async function loginWhile(database: D1Database, { email }: Person) {
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json", "cf-connecting-ip": "198.51.100.15" },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const { status } = await worker.fetch(request, { ...env, DB: database }, context);
    await waitOnExecutionContext(context);
    return status;
  }

  test("right sign-ins do not count as wrong ones", async () => {
    const person = await signUpVerified();
    for (let attempt = 0; attempt < 12; attempt++)
      expect(await loginWhile(failing, person)).toBeGreaterThanOrEqual(500);
    expect(await loginWhile(env.DB, person)).toBe(200);
  });
});

describe("a user with more than 100 sessions", () => {
  async function withSessions(person: Person): Promise<void> {
    await env.DB.prepare(
      `INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, created_at, expires_at, last_activity_at)
       SELECT 'extra-' || value || '-' || s.id, s.user_id, s.tenant_id, 1, 'x', 1, s.created_at, s.expires_at, 1
       FROM sessions s, json_each(?) WHERE s.user_id = ?`,
    )
      .bind(JSON.stringify(Array.from({ length: 150 }, (_, index) => index)), person.userId)
      .run();
  }
  const sessionsOf = async (person: Person) =>
    (
      await env.DB.prepare("SELECT count(*) AS n FROM sessions WHERE user_id = ?")
        .bind(person.userId)
        .first<{ n: number }>()
    )?.n;

  test("can end all of them, and all but one", async () => {
    const person = await signUpVerified();
    await withSessions(person);
    expect(await sessionsOf(person)).toBe(151);
    const body = { currentPassword: PASSWORD, newPassword: "a much better password" };
    expect((await call("POST", "/auth/change-password", { token: person.token, body })).status).toBe(200);
    expect(await sessionsOf(person)).toBe(1);
    await withSessions(person);
    expect((await call("POST", "/auth/logout-all", { token: person.token })).status).toBe(200);
    expect(await sessionsOf(person)).toBe(0);
  });

  test("can be removed from a tenant", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "viewer");
    await withSessions(member);
    expect((await call("DELETE", `/members/${member.userId}`, { token: owner.token })).status).toBe(200);
    expect(await sessionsOf(member)).toBe(0);
  });
});

test("one statement in the code inserts sessions, so that every login passes its conditions", () => {
  const inserts = Object.entries(sources).filter(([, text]) =>
    /insert\s+into\s+"?sessions|insert\(sessions\)/i.test(text),
  );
  expect(inserts.map(([path]) => path)).toEqual(["../../src/identity/sessions/store.ts"]);
  expect(inserts[0]?.[1].match(/insert\s+into\s+"?sessions/gi)).toHaveLength(1);
});

test("every batch that inserts a session remembers its device", () => {
  const callers = Object.entries(sources).filter(([, text]) => /: mintSession\(/.test(text));
  expect(callers.length).toBeGreaterThan(1);
  const count = (text: string, call: RegExp) => text.match(call)?.length ?? 0;
  for (const [path, text] of callers) {
    expect([path, count(text, /\.\.\.rememberDevice\(/g)]).toEqual([path, count(text, /: mintSession\(/g)]);
  }
});

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
      const { status } = await call("GET", `${at}?${name}=${marker}`, { token: person.token });
      expect(status, `${at}?${name}`).toBeLessThan(500);
    }
  }
  await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { [marker]: 1, name: marker } });
  const statements = collected();
  expect(statements.length).toBeGreaterThan(20);
  expect(statements.filter((text) => text.includes(marker))).toEqual([]);
});
