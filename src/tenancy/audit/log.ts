/**
 * The audit log of a tenant or a user: one list of the events in the control plane and in the delivery database of
 * their tenant.
 */
import type { Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { confinedTo, type Principal } from "../../base/schemas/principal";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { placesOf } from "../moves/places";
import { type AuditFilter, type AuditPage, type AuditRow, readAuditRows, readAuditRowsOfAccount } from "./read-store";
import type { AuditEvent } from "./schemas";
import { auditView } from "./view";

/** The most events that a page with filters examines. */
const EXAMINED_EVENTS = 10_000;
const OWN_EVENTS = 100;

type PageRequest = AuditFilter & { limit: number; cursor?: string | undefined };

/**
 * Returns one page, newest first. With filters it may be short or empty although more follow: continue until
 * `nextCursor` is null.
 */
export async function auditPage(
  deps: Deps,
  tenant: TenantRef,
  { limit, ...filter }: PageRequest,
): Promise<{ data: AuditEvent[]; nextCursor: string | null }> {
  const databases = databasesOf(deps, tenant);
  const bounds = { limit, examined: Math.floor(EXAMINED_EVENTS / databases.length) };
  const pages = await Promise.all(databases.map((db) => readAuditRows(db, tenant.tenantId, filter, bounds)));
  const { rows, nextCursor } = merged(pages, limit);
  return { data: rows.map(auditView), nextCursor };
}

/** Returns the newest `limit` events of a user's account, in all tenants of which the caller may know. */
export async function activityOf(deps: Deps, caller: Principal, limit = OWN_EVENTS): Promise<AuditEvent[]> {
  const account = { userId: caller.userId, only: confinedTo(caller) };
  const databases = deps.shards.numbers.map((shard) => deps.shards.db(shard));
  const found = await Promise.all(databases.map((db) => readAuditRowsOfAccount(db, account, limit)));
  return [...new Map(found.flat().map((row) => [row.id, row])).values()]
    .sort(newestFirst)
    .slice(0, limit)
    .map(auditView);
}

/** The control plane, which is also shard 0, and the other databases that have rows of the tenant. */
const databasesOf = ({ db, shards }: Deps, tenant: TenantRef): Db[] => [
  db,
  ...placesOf(tenant).flatMap(({ shard }) => (shard === 0 ? [] : [shards.db(shard)])),
];

const newestFirst = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1);

/**
 * Merges the pages of several databases. The result ends where the first of them stopped, because its older events may
 * be missing.
 */
function merged(pages: readonly AuditPage[], limit: number): { rows: AuditRow[]; nextCursor: string | null } {
  const reached = pages.flatMap((page) => page.reached ?? []).sort();
  const end = reached.at(-1) ?? null;
  // While the log of a moved tenant is copied, two databases have the same events.
  const all = new Map(pages.flatMap((page) => page.rows).map((row) => [row.id, row]));
  const rows = [...all.values()].filter(({ id }) => end === null || id >= end).sort(newestFirst);
  const shown = rows.slice(0, limit);
  return { rows: shown, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : end };
}
