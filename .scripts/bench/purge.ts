/**
 * Publishing while a large tenant is purged, and while old audit events are deleted: the 99th percentile may at most
 * double.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createAccount, subscribe, tenantOf } from "./account.ts";
import { seedEvents } from "./audit.ts";
import type { Database } from "./database.ts";
import { createClient } from "./load.ts";
import type { Result } from "./report.ts";
import { publishAlone, publishUntil, resultsOf, sustainableRate, upkeepUntil } from "./retention.ts";
import type { Run } from "./run.ts";
import { idStartAt, seedHistory } from "./seed.ts";
import { serve } from "./serve.ts";

const TYPE = "Published";
const EVERY_MINUTE = "* * * * *";
const EVERY_HOUR = "17 * * * *";
const CONNECTIONS = 64;
const ATTEMPTS = 60_000;
const AUDIT_EVENTS = 60_000;
const DAY_MS = 86_400_000;
const OLD_MS = 400 * DAY_MS;
const WARM_UP_MS = 3_000;

export async function measurePurge(run: Run): Promise<Result[]> {
  const service = await serve(run.bundles, { worker: "counted", isInMemory: true });
  const client = createClient(service.base, CONNECTIONS);
  try {
    const { database } = service;
    const [publisher, leaving] = [await createAccount(client), await createAccount(client)];
    await subscribe(publisher, TYPE, run.receiver.okUrl, 1);
    const [subscriptionId = ""] = await subscribe(leaving, TYPE, run.receiver.okUrl, 1);
    const tenantId = await tenantOf(leaving);
    run.progress("purge: seeding");
    await seedHistory(database, { tenantId, subscriptionId, deliveries: run.scaled(ATTEMPTS), tag: "bbb" });
    const perSecond = await sustainableRate(publisher);
    const before = await publishAlone(publisher, perSecond);
    await beginPurge(database, tenantId);
    run.progress("purge: deleting a tenant");
    const besidePurge = await publishUntil(
      publisher,
      perSecond,
      upkeepUntil(service, EVERY_MINUTE, async () => (await countPurges(database)) !== 0),
    );
    run.progress("purge: seeding old audit events");
    await seedEvents(database, await tenantOf(publisher), run.scaled(AUDIT_EVENTS), Date.now() - OLD_MS);
    // The first publishes pay for writing the seeded rows into the database file.
    await publishUntil(publisher, perSecond, sleep(WARM_UP_MS));
    run.progress("purge: deleting old audit events");
    const besideAudit = await publishUntil(
      publisher,
      perSecond,
      upkeepUntil(service, EVERY_HOUR, async () => (await countOldAudit(database)) !== 0),
    );
    const alone = [...before, ...(await publishAlone(publisher, perSecond))];
    const beside = { "purge of a tenant": besidePurge, "audit retention": besideAudit };
    const [first, ...rest] = resultsOf(perSecond, alone, beside);
    return first ? [{ ...first, operation: `${first.operation}, without upkeep` }, ...rest] : [];
  } finally {
    client.close();
    await service.stop();
  }
}

/** Deletes a tenant as `DELETE /tenant` does, long enough ago that its purge does not wait for what is under way. */
async function beginPurge(database: Database, tenantId: string): Promise<void> {
  await database.prepare("DELETE FROM tenants WHERE id = ?").bind(tenantId).run();
  await database
    .prepare(
      `INSERT INTO purges (id, kind, subject_id, shard, name, created_at, run_at)
        VALUES ('purge', 'tenant', ?, 0, 'n', 1, 1)`,
    )
    .bind(tenantId)
    .run();
}

const countPurges = (database: Database) => database.prepare("SELECT count(*) AS n FROM purges").first<number>("n");

/** Stops at the first event, so that it costs the service little. */
const countOldAudit = (database: Database) =>
  database
    .prepare(
      "SELECT EXISTS (SELECT 1 FROM tenants t CROSS JOIN audit_events e ON e.tenant_id = t.id AND e.id < ?) AS n",
    )
    .bind(idStartAt(Date.now() - OLD_MS + DAY_MS))
    .first<number>("n");
