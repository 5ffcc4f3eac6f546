/** Where alarms are sent in tests. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps, type Deps } from "../../src/base/deps";
import type { AlarmMessage } from "../../src/base/messages";
import { tellAlarms } from "../../src/service/alarms/tell";
import { newEmail } from "./client";
import { consumeBatch } from "./engine";
import { mailsTo } from "./mailbox";
import { deliveryDb } from "./shard";

/** Creates an address and a queue that no other test uses. */
export function newPlace() {
  const address = newEmail();
  const messages: AlarmMessage[] = [];
  const jobs: unknown[] = [];
  const queue = { send: async (message: AlarmMessage) => void messages.push(message) };
  const mailQueue = { send: async (job: unknown) => void jobs.push(job) };
  const depsWith = (bindings: object = {}): Promise<Deps> =>
    createDeps(
      { ...env, ALERT_MAIL: address, ALERTS_QUEUE: queue, MAIL_QUEUE: mailQueue, ...bindings } as unknown as Env,
      createExecutionContext(),
    );
  return {
    address,
    messages,
    depsWith,
    look: async (bindings: object = {}) => tellAlarms(await depsWith(bindings)),
    told: () => messages.map(({ state, finding }) => `${state} ${finding}`),
    /** The mails that the queued jobs lead to, oldest first. */
    mails: async () => {
      await consumeBatch(jobs.splice(0), "postern-mail", { ALERT_MAIL: address });
      return mailsTo(address);
    },
  };
}

/** Counts the rows that batches write to the databases that go through `counted`. */
export function countWrites() {
  let rows = 0;
  const counted = (database: D1Database) =>
    new Proxy(database, {
      get: (target, name) =>
        name !== "batch"
          ? Reflect.get(target, name).bind(target)
          : async (statements: D1PreparedStatement[]) => {
              const results = await target.batch(statements);
              for (const { meta } of results) rows += meta.rows_written;
              return results;
            },
    });
  return { counted, rowsWritten: () => rows };
}

/** Changes the delivery database. */
export const run = (query: string, ...values: unknown[]) =>
  deliveryDb
    .prepare(query)
    .bind(...values)
    .run();

/** Adds a delivery that is due at a time. */
export const addDue = (dueAt: number, database = deliveryDb) =>
  database
    .prepare(
      `INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
        VALUES ('', ?, 'late', 't', 's', 'e', 'event', 1)`,
    )
    .bind(dueAt)
    .run();

/** Empties the tables that alarms look at. */
export async function forgetAlarms(): Promise<void> {
  await env.DB.batch(
    ["alarms", "dead_letters", "mail_failures", "legacy_login_failures", "key_checks", "shards"].map((table) =>
      env.DB.prepare(`DELETE FROM ${table}`),
    ),
  );
  for (const database of [env.DB, env.SHARD_1]) await database.prepare("DELETE FROM outbox").run();
}
