/**
 * What deletions leave behind: nothing with an id or an address, in no table of any database, whatever happens
 * meanwhile.
 */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { firstIdAt, newId } from "../../src/base/db/ids";
import { call, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, messageFor } from "../support/engine";
import { mailsTo, mailTo } from "../support/mailbox";
import { joinTenant } from "../support/people";
import {
  fillTables,
  type Hook,
  occurrencesOf,
  openPurges,
  purgeAll,
  purgeOnce,
  tablesWithout,
} from "../support/purges";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

/** Every table is filled, read and emptied. */
vi.setConfig({ testTimeout: 90_000 });

afterEach(() => {
  vi.restoreAllMocks();
});

const shardOf = async ({ tenantId }: Person) =>
  (await env.DB.prepare("SELECT shard FROM tenants WHERE id = ?").bind(tenantId).first<number>("shard")) ?? 0;

/** Somebody with a tenant of their own, with rows in every table, who is also a member of somebody else's. */
async function settled() {
  const [host, person] = [await signUp(), await signUpVerified()];
  const guest = await guestOf(host, person);
  const webhookId = await subscribe(person, newInbox("200").url);
  await publish(person, 1);
  await fillTables({ person, tenantId: person.tenantId, webhookId }, await shardOf(person));
  await fillTables({ person, tenantId: host.tenantId, webhookId: "none" }, await shardOf(host), { ofPersons: true });
  return { host, person: guest, webhookId };
}

/** Makes a person a member of the host's tenant too. */
async function guestOf(host: Person, person: Person): Promise<Person> {
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'developer', 1)")
    .bind(host.tenantId, person.userId)
    .run();
  return person;
}

const deleteMe = (person: Person, body: object = {}) =>
  call("DELETE", "/auth/me", { token: person.token, body: { password: PASSWORD, deleteTenants: true, ...body } });
const deleteTenant = (person: Person) => call("DELETE", "/tenant", { token: person.token, body: {} });

/** What may be left of a deleted user: who did what in tenants that remain, by id. */
const AUDIT_IDS = /^\d audit_events\.(actor_id|target_id)$/;
const leftOf = async (texts: readonly string[]) =>
  (await Promise.all(texts.map(occurrencesOf))).flat().filter((place) => !AUDIT_IDS.test(place));

describe("after the purge", () => {
  test("of an account with a tenant, no table has the ids of either or the address", async () => {
    const { person, webhookId } = await settled();
    const texts = [person.userId, person.tenantId, person.email, webhookId];
    expect(await tablesWithout(texts, SHARD)).toEqual([
      "alarms",
      "dead_letters",
      "directory_groups",
      "directory_members",
      "first_keys",
      "hash_settings",
      "import_chunks",
      "import_parts",
      "import_trials",
      "imports",
      "key_checks",
      "legacy_login_failures",
      "mail_codes",
      "mail_failures",
      "platform_feed",
      "platform_key_hashes",
      "platform_rules",
      "purge_members",
      "purges",
      "revocations",
      "shards",
      "sign_on_traces",
      "source_errors",
      "token_signers",
      "used_states",
    ]);
    expect((await deleteMe(person)).status).toBe(200);
    expect(await tablesWithout(texts, SHARD)).not.toContain("purges");
    await purgeAll();
    expect(await leftOf(texts)).toEqual([]);
    expect(await occurrencesOf(person.tenantId)).toEqual([]);
  });

  test("of a tenant, no table has its id, and its owner's account and other tenants stay", async () => {
    const { host, person, webhookId } = await settled();
    expect((await deleteTenant(person)).status).toBe(200);
    await purgeAll();
    expect([await occurrencesOf(person.tenantId), await occurrencesOf(webhookId)]).toEqual([[], []]);
    const members = await call("GET", "/members", { token: host.token });
    expect(members.body.data.map(({ userId }: Person) => userId)).toContain(person.userId);
  });

  test("other tenants' audit logs keep the user's id without name, IP address and browser", async () => {
    const { host, person } = await settled();
    await deleteMe(person);
    await purgeAll();
    const { body } = await call("GET", `/audit?actor=${person.userId}`, { token: host.token });
    const known = { actor: { kind: expect.any(String), id: person.userId, name: null }, ip: null, userAgent: null };
    for (const event of body.data) expect(event).toMatchObject(known);
    const actions = body.data.map(({ action }: { action: string }) => action);
    expect(actions).toHaveLength(3);
    expect(actions).toEqual(expect.arrayContaining(["api_key.deleted", "auth.account_deleted"]));
  });

  test("what operators wrote about the user goes from their activity, and from the feed of the audit log", async () => {
    const { host, person } = await settled();
    const words = "Ms. Example writes from her sickbed";
    const id = newId();
    await env.DB.prepare(
      `INSERT INTO audit_events (tenant_id, id, action, actor_kind, target_kind, target_id, meta)
        VALUES (?, ?, 'operator.person_suspended', 'operator', 'user', ?, ?)`,
    )
      .bind(host.tenantId, id, person.userId, JSON.stringify({ reason: words, keepApiKeys: true }))
      .run();
    await deleteMe(person);
    await purgeAll();
    const { data } = (await call("GET", `/audit?target=${person.userId}`, { token: host.token })).body;
    expect(data.find((event: { id: string }) => event.id === id).meta).toEqual({ keepApiKeys: true });
    expect(await occurrencesOf(words)).toEqual([]);
  });

  test("the former address is told once, and its members of a deleted tenant", async () => {
    const { host, person } = await settled();
    await deleteMe(person);
    await purgeOnce(1);
    expect(mailsTo(person.email).filter(({ subject }) => /deleted/.test(subject))).toEqual([]);
    await purgeAll();
    const told = (email: string, subject: RegExp) => mailsTo(email).filter((mail) => subject.test(mail.subject));
    await mailTo(person.email, /account was deleted/);
    expect(told(person.email, /account was deleted/)).toHaveLength(1);
    const guest = await joinTenant(host, "viewer");
    await deleteTenant(host);
    await purgeOnce(0);
    await mailTo(guest.email, /Personal was deleted/);
    expect(told(guest.email, /Personal was deleted/)).toHaveLength(1);
  });
});

test("rows that nobody else has are removed, and those of others stay", async () => {
  const { person } = await settled();
  const other = await signUp();
  const webhookId = await subscribe(other, newInbox("500").url);
  const published = await publish(other, 1);
  await fillTables({ person: other, tenantId: other.tenantId, webhookId }, await shardOf(other));
  const before = [await occurrencesOf(other.tenantId), await occurrencesOf(other.userId)];
  await deleteMe(person);
  await purgeAll();
  expect([await occurrencesOf(other.tenantId), await occurrencesOf(other.userId)]).toEqual(before);
  expect((await call("GET", `/events/${published.id}`, { token: other.token })).status).toBe(200);
});

describe("a purge that is killed at any call goes on", () => {
  /** Each run makes so many calls; then the invocation dies before or after the effect of the last one. */
  const killedAfter = (calls: number, withEffect: boolean): Hook => {
    let made = 0;
    return async (_, call) => {
      made += 1;
      if (made < calls) return call();
      if (made === calls && withEffect) await call();
      throw new Error("killed");
    };
  };

  test.each([false, true])(
    "with the effect of the last call: %s",
    async (withEffect) => {
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      const { person } = await settled();
      const texts = [person.userId, person.tenantId, person.email];
      await deleteMe(person);
      let runs = 0;
      for (; (await openPurges()) > 0 && runs < 300; runs += 1) {
        await purgeOnce(3 + 10 * runs, killedAfter(2 + ((7 * runs) % 9), withEffect)).catch(() => undefined);
      }
      expect([await openPurges(), runs > 10]).toEqual([0, true]);
      expect(await leftOf(texts)).toEqual([]);
      await mailTo(person.email, /account was deleted/);
      expect(mailsTo(person.email).filter(({ subject }) => /account was deleted/.test(subject))).toHaveLength(1);
    },
    120_000,
  );
});

test("a database that is down holds up its own tenants' purges only", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { person } = await settled();
  await deleteTenant(person);
  const shard = 1 - SHARD;
  const elsewhere = await signUp();
  await env.DB.prepare("UPDATE tenants SET shard = ? WHERE id = ?").bind(shard, elsewhere.tenantId).run();
  await deleteTenant(elsewhere);
  const isDown: Hook = async (name, call, number) => {
    if (number === shard && (shard !== 0 || name === "endSubscriptionsOfTenant")) throw new Error("D1 is down");
    return call();
  };
  for (const minutes of [3, 4]) await purgeOnce(minutes, isDown);
  expect(await occurrencesOf(person.tenantId)).toEqual([]);
  expect(await openPurges()).toBe(1);
  await purgeAll();
});

test("a run of many purges leaves D1 calls to the other jobs, and later runs finish", async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => signUp()));
  for (const person of people) await deleteTenant(person);
  let calls = 0;
  await purgeOnce(3, (_, call) => {
    calls += 1;
    return call();
  });
  expect(calls).toBeLessThan(270);
  expect(await openPurges()).toBe(people.length);
  await purgeAll();
});

test("no page changes more than 100 rows", async () => {
  const { person, webhookId } = await settled();
  await deliveryDb
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
      SELECT ?, 'attempt-' || i, 'e', 'T', 'event', 'success', 1, 1 FROM n`)
    .bind(webhookId)
    .run();
  await deliveryDb
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
        SELECT ?2 || '-' || i, ?1, 'T', '1', 0, ?3 FROM n`)
    .bind(person.tenantId, firstIdAt(Date.now()), Date.now())
    .run();
  await deleteTenant(person);
  const sizes: number[] = [];
  const measure: Hook = async (_, call) => {
    const result = await call();
    for (const { meta } of [result].flat() as { meta?: { changes: number } }[]) sizes.push(meta?.changes ?? 0);
    return result;
  };
  // Two runs: a purge has more calls than one makes.
  for (const minutes of [3, 4]) await purgeOnce(minutes, measure);
  expect(await openPurges()).toBe(0);
  expect(sizes.filter((changes) => changes === 100)).toHaveLength(50);
  expect(Math.max(...sizes)).toBe(100);
});

test("deliveries of a deleted tenant are not sent any more, and its keys publish nothing", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("200");
  const webhookId = await subscribe(person, inbox.url);
  const body = { name: "key", scopes: ["event.publish"] };
  const { key } = (await call("POST", "/api-keys", { token: person.token, body })).body.data;
  const waiting = await addDelivery(person, webhookId);
  await deleteTenant(person);
  const published = await call("POST", "/events", { token: key, body: { type: "OrderPaid", payload: 1 } });
  expect(published.status).toBe(401);
  await purgeOnce(0);
  await consumeBatch([messageFor(waiting)]);
  expect(await inbox.received()).toEqual([]);
});

test("an address that is registered again while the purge runs keeps its new account and invitations", async () => {
  const host = await signUpVerified();
  const person = await signUpVerified();
  await deleteMe(person);
  const again = await call("POST", "/auth/register", { body: { email: person.email, password: PASSWORD } });
  expect(again.status).toBe(201);
  const invitation = await call("POST", "/invitations", {
    token: host.token,
    body: { email: person.email, role: "viewer" },
  });
  expect(invitation.status).toBe(201);
  await call("POST", "/invitations", { token: host.token, body: { email: newEmail(), role: "viewer" } });
  await purgeAll();
  expect((await call("GET", "/auth/me", { token: again.body.data.accessToken })).body.data.email).toBe(person.email);
  expect((await call("GET", "/invitations", { token: host.token })).body.data).toHaveLength(2);
});
