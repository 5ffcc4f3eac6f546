/**
 * The first page of the audit log of a tenant with ten thousand events and of one with a million, measured alternately.
 */
import { createAccount, tenantOf } from "./account.ts";
import type { Database } from "./database.ts";
import { interleave, ratioOf } from "./interleave.ts";
import { type Client, createClient, type Operation } from "./load.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { type Service, serve } from "./serve.ts";
import { median } from "./statistics.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
const REQUESTS = 100;
/** Few enough rows, because D1 limits the time of one statement. */
const ROWS_PER_STATEMENT = 50_000;
const MAX_RATIO = 2;

/** Writes events of a tenant, one a millisecond until `endMs`, a minute ago if left out. */
export async function seedEvents(
  database: Database,
  tenantId: string,
  count: number,
  endMs = Date.now() - 60_000,
): Promise<void> {
  const startMs = endMs - count;
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    await database
      .prepare(`WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
        INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id, actor_name, target_kind, target_id, ip,
          user_agent)
        SELECT ?3, substr(printf('%012x', ?4 + i), 1, 8) || '-' || substr(printf('%012x', ?4 + i), 9) || '-7000-8000-'
          || printf('%012x', i),
          'webhook.updated', 'user', ?3, 'person@example.com', 'webhook', ?3, '192.0.2.1',
            'Mozilla/5.0 (X11; Linux x86_64)' FROM n`)
      .bind(from, Math.min(from + ROWS_PER_STATEMENT, count), tenantId, startMs)
      .run();
  }
}

/** The ratio is that of the two medians. */
export async function measureAudit(run: Run): Promise<Result[]> {
  const opened: { service: Service; client: Client }[] = [];
  const operationWith = async (count: number): Promise<Operation> => {
    run.progress(`audit: seeding ${count} events`);
    const service = await serve(run.bundles, { deliver: false });
    const client = createClient(service.base, 8);
    opened.push({ service, client });
    const owner = await createAccount(client);
    await seedEvents(service.database, await tenantOf(owner), count);
    const call = () => ({ path: "/api/v1/audit", headers: owner.headers });
    return { name: `audit log, first page of ${count.toLocaleString("en")}`, client, status: 200, call };
  };
  try {
    const operations = [await operationWith(SMALL), await operationWith(LARGE)];
    const count = run.scaled(REQUESTS);
    const [small, large] = await interleave(
      operations.map((operation) => ({ operation, count })),
      run,
    );
    if (!small || !large) return [];
    const ratio = ratioOf(large.rounds, small.rounds, ({ latenciesMs }) => median(latenciesMs));
    return [small, { ...large, floor: `p50 of ${SMALL.toLocaleString("en")}`, ratio, target: { atMost: MAX_RATIO } }];
  } finally {
    for (const { client, service } of opened) {
      client.close();
      await service.stop();
    }
  }
}
