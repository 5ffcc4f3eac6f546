/** A key that the isolate remembers, when its tenant moves or goes, or its owner loses the leave to keep it. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, PASSWORD } from "../support/client";
import { countIn } from "../support/moves";
import { operate, operator } from "../support/operators";
import { type Publisher, publisher, run } from "../support/publishers";

const publish = async ({ key }: Publisher) =>
  (await call("POST", "/events", { token: key, body: { type: "OrderPaid", payload: 1 } })).status;

const stored = (owner: Publisher) =>
  Promise.all([env.DB, env.SHARD_1].map((database) => countIn(database, "events", owner)));

/** A publisher whose key this isolate has remembered from a first event. */
async function remembered(): Promise<Publisher> {
  const owner = await publisher();
  expect(await publish(owner)).toBe(202);
  return owner;
}

test("a remembered key publishes to the database to which its tenant was moved", async () => {
  const owner = await remembered();
  const { token } = await operator();
  expect((await operate({ token }, "POST", `/tenants/${owner.tenantId}/move`, { shard: 1 })).status).toBe(200);
  expect(await publish(owner)).toBe(202);
  expect(await stored(owner)).toEqual([1, 1]);
});

test("a remembered key of a tenant that is deleted publishes nothing any more", async () => {
  const owner = await remembered();
  const { status } = await call("DELETE", "/tenant", { token: owner.token, body: { password: PASSWORD } });
  expect([status, await publish(owner)]).toEqual([200, 401]);
});

test("a remembered key of a suspended person works until the leave to keep it is withdrawn", async () => {
  const owner = await remembered();
  await run("UPDATE users SET suspended_at = 1, keep_api_keys = 1 WHERE id = ?", owner.userId);
  expect([await publish(owner), await publish(owner)]).toEqual([202, 202]);
  await run("UPDATE users SET keep_api_keys = 0 WHERE id = ?", owner.userId);
  expect([await publish(owner), await stored(owner)]).toEqual([401, [3, 0]]);
});
