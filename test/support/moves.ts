/** Tenants that are moved to another delivery database. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createDeps, type Deps } from "../../src/base/deps";
import { call, type Person } from "./client";
import { addDelivery, type Key } from "./engine";
import { operate, operator } from "./operators";
import { deliveryDb, SHARD } from "./shard";

export const DAY_MS = 86_400_000;

export const countIn = (database: D1Database, table: string, { tenantId }: Person) =>
  database.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant_id = ?`).bind(tenantId).first<number>("n");

export const get = async (person: Person, path: string) => (await call("GET", path, { token: person.token })).body;

export async function depsOf(change: (deps: Deps) => Partial<Deps> = () => ({})) {
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  return { deps: { ...deps, ...change(deps) }, ended: () => waitOnExecutionContext(context) };
}

/** Moves a tenant to the other delivery database. */
export async function move(person: Person): Promise<void> {
  const { token } = await operator();
  const answer = await operate({ token }, "POST", `/tenants/${person.tenantId}/move`, { shard: 1 - SHARD });
  expect([answer.status, answer.body.message]).toEqual([200, "Tenant is being moved."]);
}

export const placeOf = (person: Person) =>
  env.DB.prepare("SELECT shard, former_shard FROM tenants WHERE id = ?").bind(person.tenantId).first();

/** A delivery that failed and is never tried again, before the move. */
export async function failed(person: Person, webhookId: string): Promise<Key> {
  const key = await addDelivery(person, webhookId);
  await deliveryDb.batch([
    deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, error, attempt_count,
           attempted_at, completed_at)
         SELECT subscription_id, id, event_id, 'OrderPaid', 'event', 'failed', 'status 500', 3, ?1, ?1 FROM outbox
         WHERE id = ?2`,
      )
      .bind(Date.now(), key.id),
    deliveryDb.prepare("DELETE FROM outbox WHERE id = ?").bind(key.id),
  ]);
  return key;
}
