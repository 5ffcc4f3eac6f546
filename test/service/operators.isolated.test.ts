/** Operators: what they find and see, and what is recorded of it. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { STAGE } from "../../src/webhooks/plane/stages";
import { call, logIn, signUp, signUpVerified } from "../support/client";
import { operate, operator } from "../support/operators";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const auditOf = async ({ token }: { token: string }, path = "/audit?limit=3") =>
  (await call("GET", path, { token })).body.data;

/** For what counts failures: a second one would come after five seconds. */
const WITHOUT_RETRY = { delivery: { retry: { schedule: [3600] } } };

describe("the search", () => {
  test("finds a tenant, a person, an event, a delivery and a host by id or by how they begin", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    const host = `h-${crypto.randomUUID()}.example`;
    const webhookId = await subscribe(owner, `http://${host}/200/hook?key=secret`, { name: "Orders" });
    const { id: eventId } = await publish(owner, { a: 1 });
    const name = `Österreich ${crypto.randomUUID()}`;
    await env.DB.prepare("UPDATE tenants SET name = ? WHERE id = ?").bind(name, owner.tenantId).run();
    const deliveryId = `${eventId.slice(0, 23)}-${webhookId.slice(24)}`;
    const find = async (q: string) => {
      const { status, body } = await operate(op, "GET", `/search?q=${encodeURIComponent(q)}`);
      expect(status).toBe(200);
      return Object.fromEntries(Object.entries(body.data).filter(([, list]) => (list as unknown[]).length > 0));
    };
    const tenantOf = { tenantId: owner.tenantId, tenantName: name };
    const tenants = [{ id: owner.tenantId, externalId: null, name, isSuspended: false }];
    expect(await find(owner.tenantId)).toEqual({ tenants });
    expect(await find(name.slice(0, 20))).toEqual({ tenants });
    expect(await find(name.toUpperCase().slice(0, 20))).toEqual({ tenants });
    const people = [{ id: owner.userId, externalId: null, email: owner.email, name: null, isSuspended: false }];
    expect(await find(owner.email.slice(0, 30))).toEqual({ people });
    expect(await find(owner.userId)).toEqual({ people });
    const subscriptions = [{ id: webhookId, name: "Orders", host, enabled: true, ...tenantOf }];
    expect(await find(host.slice(0, 20))).toEqual({ subscriptions });
    expect(await find(`http://${host}/200/hook`)).toEqual({ subscriptions });
    expect(await find(webhookId)).toEqual({ subscriptions });
    expect(await find(eventId)).toMatchObject({ events: [{ id: eventId, type: "OrderPaid", ...tenantOf }] });
    expect(await find(deliveryId)).toEqual({ deliveries: [{ id: deliveryId, webhookId, eventId, ...tenantOf }] });
    expect(await find(crypto.randomUUID())).toEqual({});
  });

  test("finds tenants and people by the product's own ids alone, and their pages show them", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const id = `Own-${crypto.randomUUID()}`;
    await env.DB.batch([
      env.DB.prepare("UPDATE tenants SET external_id = ? WHERE id = ?").bind(id, person.tenantId),
      env.DB.prepare("UPDATE users SET external_id = ? WHERE id = ?").bind(id, person.userId),
    ]);
    for (const q of [id, `ext:${id}`]) {
      const { tenants, people } = (await operate(op, "GET", `/search?q=${q}`)).body.data;
      expect([tenants, people]).toMatchObject([
        [{ id: person.tenantId, externalId: id }],
        [{ id: person.userId, externalId: id }],
      ]);
    }
    for (const path of [`/tenants/${person.tenantId}`, `/people/${person.userId}`]) {
      expect((await operate(op, "GET", path)).body.data.externalId).toBe(id);
    }
    expect((await operate(op, "GET", `/search?q=${id.slice(0, 20)}`)).body.data.tenants).toEqual([]);
  });

  test("reveals nothing of a URL after its host: a wrong guess finds as much as a right one", async () => {
    const op = await operator();
    const host = `h-${crypto.randomUUID()}.example`;
    await subscribe(await signUpVerified(), `http://${host}/200/hook?key=secret`);
    const search = async (q: string) => (await operate(op, "GET", `/search?q=${encodeURIComponent(q)}`)).body.data;
    for (const [right, wrong] of [
      [`${host}/200/hook?key=s`, `${host}/200/hook?key=t`],
      [`${host}/2`, `${host}/3`],
      ["http://", "https://"],
    ] as const) {
      expect(await search(right)).toEqual(await search(wrong));
    }
    expect((await search("//")).subscriptions).toEqual([]);
  });

  test.each(["", "a", "x".repeat(255)])("refuses %j", async (q) => {
    expect((await operate(await operator(), "GET", `/search?q=${q}`)).status).toBe(400);
  });
});

describe("what an operator sees", () => {
  test("how many subscriptions fail: none that is healthy again, disabled, enabled anew or deleted", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    const failing = async () => {
      const { shards } = (await operate(op, "GET", "/status")).body.data;
      return shards.find(({ shard }: { shard: number }) => shard === SHARD).failing as number;
    };
    const before = await failing();
    const since = Date.now();
    const insert = async (stage: number, failingSince: number | null, change: string) => {
      const id = await subscribe(owner, newInbox("200").url);
      await deliveryDb.batch([
        deliveryDb
          .prepare("INSERT INTO episodes (subscription_id, tenant_id, failing_since, stage) VALUES (?, ?, ?, ?)")
          .bind(id, owner.tenantId, failingSince, stage),
        deliveryDb.prepare(`UPDATE subscriptions SET ${change} WHERE id = ?`).bind(id),
      ]);
    };
    await insert(STAGE.failing, since, "enabled = 1");
    await insert(STAGE.noticed, since, "enabled = 1");
    await insert(STAGE.recovered, since, "enabled = 1");
    await insert(STAGE.disabled, since, "enabled = 0, disabled_reason = 'failing'");
    await insert(STAGE.failing, null, "enabled = 1");
    await insert(STAGE.failing, since, "is_deleted = 1");
    expect((await failing()) - before).toBe(2);
    const named = async () => {
      const { failingTenants } = (await operate(op, "GET", "/status")).body.data;
      return failingTenants.find(({ tenantId }: { tenantId: string }) => tenantId === owner.tenantId);
    };
    expect(await named()).toEqual({
      tenantId: owner.tenantId,
      tenantName: expect.any(String),
      failing: 2,
      since: new Date(since).toISOString(),
    });
    // After a move, the former database still has copies of the subscriptions.
    await deliveryDb
      .prepare("INSERT INTO departed_tenants (tenant_id, since) VALUES (?, 1)")
      .bind(owner.tenantId)
      .run();
    expect([await failing(), await named()]).toEqual([before, undefined]);
    await deliveryDb.prepare("DELETE FROM departed_tenants WHERE tenant_id = ?").bind(owner.tenantId).run();
    await deliveryDb.prepare("DELETE FROM episodes WHERE tenant_id = ?").bind(owner.tenantId).run();
  });

  test("a tenant: its state and what waits, and its owners see that it was read", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    await subscribe(owner, newInbox("200").url);
    await subscribe(owner, newInbox("200").url, { enabled: false });
    const { status, body } = await operate(op, "GET", `/tenants/${owner.tenantId}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: owner.tenantId,
      suspended: null,
      shard: SHARD,
      members: 1,
      apiKeys: 0,
      owners: [{ id: owner.userId, email: owner.email }],
      subscriptions: { total: 2, active: 1, failing: 0, paused: 1, disabled: 0 },
      openDeliveries: { count: 0, isExact: true },
      attempts: { succeeded: 0, failed: 0 },
      holds: [],
    });
    const [event] = await auditOf(owner);
    expect(event).toMatchObject({
      action: "operator.tenant_read",
      actor: { kind: "operator", id: op.userId, name: op.email },
      target: { kind: "tenant", id: owner.tenantId },
      ip: null,
      userAgent: null,
      sessionId: null,
    });
  });

  test("the subscriptions of a tenant: hosts, states and errors, those that fail first, and none of others", async () => {
    const op = await operator();
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    await subscribe(other, newInbox("500").url);
    const quiet = await subscribe(owner, newInbox("200").url, { name: "quiet", events: ["OrderPayd", "Other"] });
    await call("POST", `/webhooks/${quiet}/pause`, { token: owner.token });
    const failing = await subscribe(owner, newInbox("500").url, { name: "broken", ...WITHOUT_RETRY });
    await publish(owner, 1);
    await endedAttempts(owner, failing, 1);
    const read = async () => (await operate(op, "GET", `/tenants/${owner.tenantId}`)).body.data;
    const once = await read();
    expect(once.subscriptionStates).toMatchObject([
      { id: failing, name: "broken", host: "receiver.example", state: "active", failureCount: 1, error: "status 500" },
      { id: quiet, name: "quiet", state: "paused", failureCount: 0, error: null, lastTriggeredAt: null },
    ]);
    expect(once.subscriptionStates).toMatchObject([
      { events: ["OrderPaid"], matching: 1, similar: [], offSince: null },
      {
        events: ["OrderPayd", "Other"],
        matching: 0,
        similar: [{ type: "OrderPayd", meant: "OrderPaid" }],
        offSince: { by: owner.email, at: expect.any(String) },
      },
    ]);
    expect(once.published).toMatchObject({ events: 1 });
    expect(once.subscriptions).toMatchObject({ active: 1, failing: 0, paused: 1 });
    await deliveryDb
      .prepare("INSERT INTO episodes (subscription_id, tenant_id, failing_since) VALUES (?, ?, 1)")
      .bind(failing, owner.tenantId)
      .run();
    const often = await read();
    expect(often.subscriptionStates[0]).toMatchObject({ id: failing, state: "failing" });
    expect(often.subscriptions).toMatchObject({ active: 0, failing: 1, paused: 1 });
    await deliveryDb.prepare("DELETE FROM episodes WHERE tenant_id = ?").bind(owner.tenantId).run();
  });

  test("the attempts of each database, or those that the hourly job has counted where there are many", async () => {
    const op = await operator();
    const attempts = async () => {
      const { shards } = (await operate(op, "GET", "/status")).body.data;
      return shards.find(({ shard }: { shard: number }) => shard === SHARD).attempts;
    };
    const before = await attempts();
    const owner = await signUpVerified();
    const hook = await subscribe(owner, newInbox("500").url, WITHOUT_RETRY);
    await publish(owner, 1);
    await endedAttempts(owner, hook, 1);
    const after = await attempts();
    expect(after.failed - before.failed).toBe(1);
    expect(Date.parse(after.until) - Date.parse(after.since)).toBeLessThanOrEqual(2 * 3_600_000);
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, created_at,
        updated_at) SELECT 'many-' || i, 'many', '', '', '[]', '', '', 1, 1, 1 FROM n`;
    await deliveryDb.prepare(rows).run();
    const totals = JSON.stringify({ hour: 3_600_000, succeeded: 7, failed: 2 });
    await env.DB.prepare("INSERT OR REPLACE INTO shards (shard, bytes, noted_at, totals) VALUES (?, 1, 1, ?)")
      .bind(SHARD, totals)
      .run();
    const counted = await attempts();
    await deliveryDb.prepare("DELETE FROM subscriptions WHERE tenant_id = 'many'").run();
    await env.DB.prepare("DELETE FROM shards WHERE shard = ?").bind(SHARD).run();
    const [since, until] = [3_600_000, 7_200_000].map((ms) => new Date(ms).toISOString());
    expect(counted).toEqual({ since, until, succeeded: 7, failed: 2 });
  });

  test("a person: the account and its tenants; they see it without a name, and the log of the service has one", async () => {
    const op = await operator();
    const person = await logIn(await signUp());
    const { body } = await operate(op, "GET", `/people/${person.userId}`);
    expect(body.data).toMatchObject({
      id: person.userId,
      email: person.email,
      suspended: null,
      emailVerified: true,
      twoFactorEnabled: false,
      sessions: 2,
      tenants: [{ id: person.tenantId, role: "owner" }],
    });
    const [seen] = await auditOf(person, "/auth/me/activity");
    expect(seen).toMatchObject({ action: "operator.person_read", actor: { kind: "operator", id: null, name: null } });
    const [own] = await auditOf(op, "/operator/audit?limit=3");
    expect(own).toMatchObject({
      action: "operator.person_read",
      actor: { kind: "operator", id: op.userId, name: op.email },
      target: { kind: "user", id: person.userId },
    });
    expect(own.ip).not.toBeNull();
  });

  test("the status: databases, queues, dead letters and holds", async () => {
    const op = await operator();
    await env.DB.prepare("INSERT OR REPLACE INTO dead_letters VALUES (?, 'postern-mail-dead', 2)")
      .bind(Date.now() - (Date.now() % 3_600_000))
      .run();
    const { body } = await operate(op, "GET", "/status");
    expect(body.data.shards.map(({ shard }: { shard: number }) => shard)).toEqual([0, 1]);
    expect(body.data.queues.map(({ name }: { name: string }) => name)).toEqual([
      "deliveries",
      "deliveries-slow",
      "mail",
    ]);
    expect(body.data.deadLetters).toContainEqual(expect.objectContaining({ queue: "postern-mail-dead", messages: 2 }));
    expect(body.data.unreachable).toEqual([]);
    const actions = (await auditOf(op, "/operator/audit?limit=3")).map(({ action }: { action: string }) => action);
    expect(actions[0]).toBe("operator.status_read");
  });

  test.each(["tenants", "people"])("404 for an id that is not among the %s, and nothing is recorded", async (kind) => {
    const op = await operator();
    const before = await auditOf(op);
    expect((await operate(op, "GET", `/${kind}/${crypto.randomUUID()}`)).status).toBe(404);
    expect(await auditOf(op)).toEqual(before);
  });
});
