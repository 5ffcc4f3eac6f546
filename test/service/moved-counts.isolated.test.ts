/** What a moved tenant has left in its former database is counted right. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { noteSize } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import type { SubscriptionCounts } from "../../src/service/metrics/store";
import { countTotals } from "../../src/service/metrics/totals";
import { countStoredBytes } from "../../src/webhooks/stats/stored-bytes";
import { call, signUpVerified } from "../support/client";
import { depsOf, move } from "../support/moves";
import { callUnder } from "../support/overrides";
import { newInbox, subscribe } from "../support/receiver";
import { closeOtherShard, deliveryDb, SHARD } from "../support/shard";
import { maintain } from "../support/upkeep";

const otherDb = SHARD === 0 ? env.SHARD_1 : env.DB;

test("its subscriptions are counted once for the service, and each attempt where it was made", async () => {
  const totals = async () => {
    const { deps, ended } = await depsOf();
    for (const shard of [0, 1]) {
      await noteSize(deps.db, shard, 1, 1);
      await maintain({ ...deps, shards: { ...deps.shards, numbers: [shard] } }, countTotals);
    }
    await ended();
    const { results } = await env.DB.prepare("SELECT totals FROM shards WHERE shard >= 0").all<{ totals: string }>();
    await closeOtherShard();
    const known = results.map(({ totals: json }) => JSON.parse(json) as SubscriptionCounts);
    return known.reduce(
      (sum, { healthy, paused }) => ({ healthy: sum.healthy + healthy, paused: sum.paused + paused }),
      {
        healthy: 0,
        paused: 0,
      },
    );
  };
  const person = await signUpVerified();
  await subscribe(person, newInbox("200").url);
  const paused = await subscribe(person, newInbox("200").url);
  await call("POST", `/webhooks/${paused}/pause`, { token: person.token });
  const before = await totals();
  await move(person);
  expect(await totals()).toEqual(before);
});

test("what it has left in its former database counts towards TENANT_STORED_MIB, until retention has removed it", async () => {
  const limit = { TENANT_STORED_MIB: "1" };
  const person = await signUpVerified();
  const fill = (database: D1Database) =>
    database
      .prepare(
        `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         SELECT value, ?1, 'Large', hex(zeroblob(50000)), 0, 1 FROM json_each(?2)`,
      )
      .bind(person.tenantId, JSON.stringify(Array.from({ length: 6 }, () => newIdAt(Date.now()))))
      .run();
  const count = async () =>
    maintain(await createDeps({ ...env, ...limit }, createExecutionContext()), countStoredBytes);
  const status = async () => {
    const { token } = person;
    return (await callUnder(limit, { path: "/api/v1/events", token, body: { type: "OrderPaid", payload: 1 } })).status;
  };
  await fill(deliveryDb);
  await count();
  expect(await status()).toBe(202);
  await move(person);
  await fill(otherDb);
  expect(await status()).toBe(202);
  await count();
  expect(await status()).toBe(429);
  await deliveryDb.prepare("DELETE FROM events WHERE tenant_id = ? AND type = 'Large'").bind(person.tenantId).run();
  await count();
  expect(await status()).toBe(202);
});
