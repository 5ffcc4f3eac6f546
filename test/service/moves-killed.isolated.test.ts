/** What a kill leaves at each call of a move, from its first one until nothing is left in the former database. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { call, type Person, signUpVerified } from "../support/client";
import { beginMove, killUntil } from "../support/killed-moves";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { SHARD } from "../support/shard";

vi.setConfig({ testTimeout: 120_000 });

const DAY_MS = 86_400_000;
/** More than the move copies in a page. */
const AUDIT_EVENTS = 600;

const databaseOf = (shard: number) => (shard === 0 ? env.DB : env.SHARD_1);
const idsIn = async (shard: number, table: string, { tenantId }: Person) => {
  const query = `SELECT * FROM ${table} WHERE tenant_id = ? ORDER BY 1, 2`;
  return (await databaseOf(shard).prepare(query).bind(tenantId).all()).results;
};

const addAudit = ({ tenantId }: Person, shard: number) =>
  databaseOf(shard)
    .prepare(
      `INSERT INTO audit_events (tenant_id, id, action, actor_kind)
       SELECT ?1, value, 'webhook.updated', 'system' FROM json_each(?2)`,
    )
    .bind(tenantId, JSON.stringify(Array.from({ length: AUDIT_EVENTS }, () => newIdAt(Date.now()))))
    .run();

/** More than the move copies in a page. */
const VERSIONS = 20;
const TYPE_TABLES = ["event_types", "event_type_versions", "publish_rules"];

const typesIn = (shard: number, person: Person) => Promise.all(TYPE_TABLES.map((table) => idsIn(shard, table, person)));

/** Declares a type with many versions, of which the newest is enforced, and one without a schema. */
async function declareTypes({ token }: Person): Promise<void> {
  const send = (path: string, body: object) => call("POST", `/event-types${path}`, { token, body });
  await send("", { name: "plain", examples: [1] });
  await send("", { name: "checked", schema: true, enforce: "reject" });
  for (let at = 2; at <= VERSIONS; at += 1) await send("/checked/versions", { schema: { minProperties: at } });
}

test.each([
  ["to another database", SHARD, 1 - SHARD],
  ["from there", 1 - SHARD, SHARD],
])(
  "a move %s that is killed at any of its calls goes on, copies nothing twice, and leaves nothing",
  async (_, from, to) => {
    const person = await signUpVerified();
    const webhookId = await subscribe(person, newInbox("200").url, { delivery: { signature: "v1+v1a" } });
    if (from !== SHARD) {
      await beginMove(person, from, -80 * DAY_MS);
      await killUntil(person, -80 * DAY_MS, ({ movedAt }) => movedAt !== null);
      await killUntil(person, -40 * DAY_MS, ({ endedAt }) => endedAt !== null);
    }
    const { token } = person;
    const { id: feedId } = (await call("POST", "/feeds", { token, body: { name: "n", events: ["*"] } })).body.data;
    const pulled = async () =>
      (await call("GET", `/feeds/${feedId}/events?from=oldest`, { token })).body.data.map(
        ({ payload }: { payload: unknown }) => payload,
      );
    await addAudit(person, from);
    await publish(person, "before");
    await endedAttempts(person, webhookId, 1);
    const audit = (await idsIn(from, "audit_events", person)).map(({ id }) => id);
    const keysOf = async (shard: number) =>
      (await databaseOf(shard).prepare("SELECT * FROM signing_keys WHERE subscription_id = ?").bind(webhookId).all())
        .results;
    const [keys, index] = [await keysOf(from), await idsIn(from, "subscription_events", person)];
    expect(keys.length * index.length).toBeGreaterThan(0);
    await declareTypes(person);
    const types = await typesIn(from, person);
    expect(types.map((rows) => rows.length)).toEqual([2, VERSIONS + 1, 1]);

    await beginMove(person, to, 0);
    expect(await killUntil(person, 0, ({ step }) => step === "keep")).toBeGreaterThan(5);
    expect([await keysOf(to), await idsIn(to, "subscription_events", person)]).toEqual([keys, index]);
    expect(await typesIn(to, person)).toEqual(types);
    expect((await call("POST", "/events", { ...person, body: { type: "checked", payload: {} } })).status).toBe(400);
    await publish(person, "after");
    expect(await idsIn(to, "events", person)).toHaveLength(1);
    expect(await pulled()).toEqual(["before", "after"]);

    const kills = await killUntil(person, 40 * DAY_MS, ({ endedAt }) => endedAt !== null);
    expect(kills).toBeGreaterThan(from === 0 ? 10 : 14);
    const feeds = ["feeds", "feed_types", "feed_entries", "feed_logs", "feed_consumers"];
    const others = ["idempotency_keys", "departed_tenants"];
    for (const table of ["subscriptions", "subscription_events", ...others, ...TYPE_TABLES, ...feeds]) {
      expect([table, await idsIn(from, table, person)]).toEqual([table, []]);
    }
    const attempts = databaseOf(from).prepare("SELECT 1 FROM attempts WHERE subscription_id = ?").bind(webhookId);
    expect((await attempts.all()).results).toEqual([]);
    const kept = new Set(
      (await Promise.all([0, to].map((shard) => idsIn(shard, "audit_events", person)))).flat().map(({ id }) => id),
    );
    expect(audit.filter((id) => !kept.has(id))).toEqual([]);
    if (from !== 0) expect(await idsIn(from, "audit_events", person)).toEqual([]);
    expect(
      await env.DB.prepare("SELECT shard, former_shard FROM tenants WHERE id = ?").bind(person.tenantId).first(),
    ).toEqual({
      shard: to,
      former_shard: null,
    });
  },
);
