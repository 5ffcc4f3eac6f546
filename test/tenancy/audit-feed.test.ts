/** The audit log as operational events: what is published of it, to whom, and that it is published once. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/base/db/client";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { MINUTE_MS } from "../../src/base/time";
import { publishedId } from "../../src/tenancy/audit/published-id";
import { publishAudit } from "../../src/webhooks/subscriptions/audit-feed";
import { call, logIn, type Person, signUp, signUpVerified } from "../support/client";
import { faultyDatabase } from "../support/faults/bindings";
import { joinTenant } from "../support/people";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const KILLED = new Error("killed");

/**
 * Publishes as the upkeep does every minute, until `isOver`. `intercept` is asked before and after each call to D1, and
 * can throw `KILLED`.
 */
async function publishOnce(
  intercept: (moment: "before" | "after", name: string) => void | Promise<void> = () => {},
  isOver = () => false,
  now = Date.now,
): Promise<void> {
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  const made = async <T>(name: string, effect: () => Promise<T>) => {
    await intercept("before", name);
    const result = await effect();
    await intercept("after", name);
    return result;
  };
  const [control, delivery] = [env.DB, deliveryDb].map((database) =>
    createDb(faultyDatabase(database, { call: made }), { trips: 0, sqlMs: 0, rowsWritten: 0 }),
  );
  if (!control || !delivery) throw new Error("no database");
  const shards = { numbers: [SHARD], db: () => delivery };
  try {
    for (let cursor: string | null = ""; cursor !== null && !isOver(); ) {
      cursor = await publishAudit({ ...deps, db: control, shards, now }, SHARD, cursor, isOver);
    }
  } catch (error) {
    if (error !== KILLED) throw error;
  }
  await waitOnExecutionContext(context);
}

const listenTo = async (person: Person, events: string[]) => {
  const inbox = newInbox("200");
  return { inbox, id: await subscribe(person, inbox.url, { name: "SIEM", events }) };
};

/** The published audit events of a tenant, oldest first. */
async function published({ tenantId }: Person) {
  const { results } = await deliveryDb
    .prepare("SELECT payload FROM events WHERE tenant_id = ? AND type = 'postern.audit' ORDER BY payload ->> '$.id'")
    .bind(tenantId)
    .all<{ payload: string }>();
  return results.map(({ payload }) => JSON.parse(payload));
}

const audited = async ({ token }: Pick<Person, "token">) =>
  (await call("GET", "/audit?limit=200", { token })).body.data.toReversed();

/** Adds audit events of a tenant to a database, a millisecond apart. */
async function record(database: D1Database, { tenantId }: Person, fromMs: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => newIdAt(fromMs + n));
  await database
    .prepare(
      `INSERT INTO audit_events (tenant_id, id, action, actor_kind) SELECT ?, value, 'session.revoked', 'system'
        FROM json_each(?)`,
    )
    .bind(tenantId, JSON.stringify(ids))
    .run();
}

describe("without audit.read", () => {
  test("nobody has the log sent, by a new subscription or a changed one", async () => {
    const owner = await signUp();
    const developer = await joinTenant(owner, "developer");
    const url = newInbox("200").url;
    const create = (events: string[]) =>
      call("POST", "/webhooks", {
        token: developer.token,
        body: { name: "n", url, events, secret: "a-signing-secret" },
      });
    for (const type of ["postern.audit", "postern.*"]) {
      expect((await create(["A", type])).body.code).toBe("FORBIDDEN");
    }
    const own = (await create(["postern.webhook.created"])).body.data._id;
    const { id } = await listenTo(owner, ["postern.audit"]);
    const change = (of: string, body: object) => call("PATCH", `/webhooks/${of}`, { token: developer.token, body });
    expect((await change(own, { events: ["postern.*"] })).body.code).toBe("FORBIDDEN");
    expect((await change(id, { url: newInbox("200").url })).body.code).toBe("FORBIDDEN");
    const { url: same } = (await call("GET", `/webhooks/${id}`, { token: developer.token })).body.data;
    expect((await change(id, { name: "renamed", url: same, events: ["postern.audit", "A"] })).status).toBe(200);
    expect((await change(id, { url, events: ["A"] })).status).toBe(200);
    expect((await change(own, { url })).status).toBe(200);
  });

  test("nobody reads it in the delivery log or the list of events", async () => {
    const owner = await signUp();
    const { id } = await listenTo(owner, ["postern.audit"]);
    await logIn(owner);
    await publishOnce();
    const [attempt] = await endedAttempts(owner, id, 1);
    const [event] = await published(owner);
    for (const path of [
      `/webhooks/${id}/logs`,
      `/webhooks/${id}/attempts/${attempt._id}`,
      `/events/${publishedId(event.id)}`,
    ]) {
      const { status, body } = await call("GET", path, { token: owner.token });
      expect(status).toBe(200);
      expect([body.data].flat()[0].payload).toBeNull();
      expect(JSON.stringify(body)).not.toContain(owner.email);
    }
  });
});

test.each([["postern.audit"], ["postern.*"]])(
  "%s receives logins, members and webhooks once each, as the list shows them",
  async (type) => {
    const owner = await signUpVerified();
    const { inbox } = await listenTo(owner, [type]);
    const start = (await audited(owner)).length;
    await logIn(owner);
    await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["audit.read"] } });
    const webhook = await subscribe(owner, newInbox("200").url);
    await joinTenant(owner, "viewer");
    await call("DELETE", `/webhooks/${webhook}`, { token: owner.token });
    for (let run = 0; run < 3; run += 1) await publishOnce();
    const wanted = (await audited(owner)).slice(start);
    expect(wanted.map(({ action }: { action: string }) => action)).toEqual([
      "auth.login",
      "api_key.created",
      "webhook.created",
      "member.invited",
      "auth.registered",
      "member.joined",
      "webhook.deleted",
    ]);
    expect(await published(owner)).toEqual(wanted);
    const isAudit = ({ headers }: { headers: Record<string, string> }) =>
      headers["x-webhook-event"] === "postern.audit";
    const others = type === "postern.*" ? 2 : 0;
    const received = (await inbox.arrived(wanted.length + others)).filter(isAudit);
    const bodies = received.map(({ body }) => JSON.parse(body)).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(bodies).toEqual(wanted);
  },
);

describe("nothing is published", () => {
  test("for `*`, and no row is written for a tenant that does not want it", async () => {
    const owner = await signUp();
    const { inbox } = await listenTo(owner, ["*", "postern.webhook.created"]);
    await logIn(owner);
    await publishOnce();
    expect(await published(owner)).toEqual([]);
    const feeds = deliveryDb.prepare("SELECT count(*) AS n FROM audit_feeds WHERE tenant_id = ?").bind(owner.tenantId);
    expect(await feeds.first("n")).toBe(0);
    expect(await inbox.received()).toEqual([]);
  });

  test("about the subscription that would receive it, nor of another tenant, nor of the time before", async () => {
    const [owner, other] = [await signUp(), await signUp()];
    await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["audit.read"] } });
    const { id } = await listenTo(owner, ["postern.audit"]);
    await logIn(other);
    await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: { name: "renamed" } });
    await publishOnce();
    expect([await published(owner), await published(other)]).toEqual([[], []]);
    const second = await listenTo(owner, ["postern.audit"]);
    await call("PATCH", `/webhooks/${id}`, { token: owner.token, body: { name: "again" } });
    await publishOnce();
    const [received] = await second.inbox.arrived(1);
    expect(JSON.parse(received?.body ?? "")).toMatchObject({ action: "webhook.updated", target: { id } });
  });

  test("after the last subscription that wanted it is gone, and again from when there is one", async () => {
    const owner = await signUp();
    const { id } = await listenTo(owner, ["postern.audit"]);
    await call("DELETE", `/webhooks/${id}`, { token: owner.token });
    await logIn(owner);
    await publishOnce();
    const { inbox } = await listenTo(owner, ["postern.audit"]);
    await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["audit.read"] } });
    await publishOnce();
    expect((await published(owner)).map(({ action }) => action)).toEqual(["api_key.created"]);
    await inbox.arrived(1);
  });
});

describe("each event is published once", () => {
  test.each(["before", "after"] as const)("when runs are killed %s a call", async (moment) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const owner = await signUp();
    await listenTo(owner, ["postern.audit"]);
    const start = (await audited(owner)).length;
    await record(env.DB, owner, Date.now(), 52);
    await record(deliveryDb, owner, Date.now() + 35, 10);
    for (let calls = 1; calls < 8; calls += 1) {
      let left = calls;
      await publishOnce((at) => {
        if (at === moment) left -= 1;
        if (left <= 0) throw KILLED;
      });
    }
    await publishOnce();
    expect(await published(owner)).toEqual((await audited(owner)).slice(start));
  });

  test("and of many, in both databases, none is left out", async () => {
    const owner = await signUp();
    await listenTo(owner, ["postern.audit"]);
    await record(env.DB, owner, Date.now(), 110);
    await record(deliveryDb, owner, Date.now() + 30, 55);
    await publishOnce();
    expect(await published(owner)).toHaveLength(165);
  });

  test("and a run whose turn is over leaves them to the next one", async () => {
    const owner = await signUpVerified();
    await listenTo(owner, ["postern.audit"]);
    await logIn(owner);
    let asked = 0;
    await publishOnce(undefined, () => asked++ > 0);
    expect(await published(owner)).toEqual([]);
    await publishOnce();
    expect(await published(owner)).not.toEqual([]);
  });

  test("also one that was written late, with an older id", async () => {
    const owner = await signUp();
    await listenTo(owner, ["postern.audit"]);
    const lateMs = Date.now() + 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await logIn(owner);
    await publishOnce();
    await record(env.DB, owner, lateMs, 1);
    await publishOnce();
    expect(await published(owner)).toHaveLength(2);
  });

  test("also one that is written while a run reads, and that settles before the run ends", async () => {
    const owner = await signUp();
    await listenTo(owner, ["postern.audit"]);
    await logIn(owner);
    const lateMs = Date.now() + 5_000;
    let now = lateMs + 2 * MINUTE_MS - 1_000;
    await publishOnce(
      async (moment, name) => {
        if (moment === "before" || name !== "readAuditRowsFrom" || now > lateMs + 2 * MINUTE_MS) return;
        now = lateMs + 2 * MINUTE_MS + 1;
        await record(env.DB, owner, lateMs, 1);
      },
      undefined,
      () => now,
    );
    expect(now).toBe(lateMs + 2 * MINUTE_MS + 1);
    await publishOnce();
    expect(await published(owner)).toHaveLength(2);
  });
});
