/** The domains of tenants, in the control plane. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { AuditAction } from "../../base/schemas/audit-actions";
import { endEnforcement, isLastDomain } from "../../identity/policy/enforcement-store";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { hasVerifiedOwner } from "../../tenancy/tenants/verified-store";

export interface DomainRow {
  domain: string;
  state: "pending" | "proved" | "lost";
  provedBy: "dns" | "platform" | null;
  /** What the record said then; null unless DNS has proved it. */
  provedValue: string | null;
  /** Unix ms, like the other times. */
  provedAt: number | null;
  checkedAt: number | null;
  lastError: string | null;
  /** See the table. */
  needsReview: 0 | 1;
}

/** A domain of a tenant, and what the audit log says of a change to it. */
export interface DomainChange {
  tenantId: string;
  domain: string;
  /** Whether it is changed with a setup link: an owner must look at it. */
  isInSetup: boolean;
  eventsOf(action: DomainAction, meta: Readonly<Record<string, string>>): readonly NewAuditEvent[];
}

export type DomainAction = AuditAction & (`domain.${string}` | "tenant.security_changed");

const COLUMNS = sql.raw(
  "d.domain, d.state, d.proved_by AS provedBy, d.proved_value AS provedValue, d.proved_at AS provedAt, " +
    "d.checked_at AS checkedAt, d.last_error AS lastError, d.needs_review AS needsReview",
);

const named = ({ tenantId, domain }: Pick<DomainChange, "tenantId" | "domain">): SQL =>
  sql`tenant_id = ${tenantId} AND domain = ${domain}`;

const rowOf = (change: Pick<DomainChange, "tenantId" | "domain">) =>
  rows<DomainRow>(sql`SELECT ${COLUMNS} FROM domains d WHERE ${named(change)}`);

/** The tenant's domains, by name. */
export const listDomains = ({ db }: Deps, tenantId: string): Promise<DomainRow[]> =>
  query<DomainRow>(db)`SELECT ${COLUMNS} FROM domains d WHERE d.tenant_id = ${tenantId} ORDER BY d.domain`;

/** A domain of the tenant; undefined if it has not added it. */
export async function findDomain(
  { db }: Deps,
  of: Pick<DomainChange, "tenantId" | "domain">,
): Promise<DomainRow | undefined> {
  return (await atomically(db, { found: rowOf(of) })).found[0];
}

/** What has become of a claim. */
export interface ClaimedDomain {
  row: DomainRow | undefined;
  isNew: boolean;
  /** Of the tenant, before the claim. */
  hasVerifiedOwner: boolean;
  count: number;
}

/**
 * Adds a domain, unless the tenant has it, or `most`, or no verified owner. With `isVouchedFor` it is proved at once,
 * unless another tenant has proved it.
 */
export async function insertDomain(
  { db }: Deps,
  change: DomainChange,
  { most, isVouchedFor }: { most: number; isVouchedFor: boolean },
  nowMs: number,
): Promise<ClaimedDomain> {
  const { tenantId, domain } = change;
  const isVerified = hasVerifiedOwner(sql`${tenantId}`);
  const count = sql`(SELECT count(*) FROM domains WHERE tenant_id = ${tenantId})`;
  const { before, inserted, found } = await atomically(db, {
    before: rows<{ isVerified: 0 | 1; count: number }>(sql`SELECT ${isVerified} AS isVerified, ${count} AS count`),
    inserted: sql`INSERT INTO domains (tenant_id, domain, state, denied_days, needs_review, created_at)
      SELECT t.id, ${domain}, 'pending', 0, ${Number(change.isInSetup)}, ${nowMs} FROM tenants t
        WHERE t.id = ${tenantId} AND ${isVerified} AND ${count} < ${most}
      ON CONFLICT (tenant_id, domain) DO NOTHING RETURNING domain`,
    claimed: change.eventsOf("domain.claimed", { domain }).map(auditIfChanged),
    ...(isVouchedFor ? prove(change, { by: "platform", value: null, condition: sql`changes() > 0` }, nowMs) : {}),
    found: rowOf(change),
  });
  const [{ isVerified: has, count: counted } = { isVerified: 0, count: 0 }] = before;
  return { row: found[0], isNew: inserted.length === 1, hasVerifiedOwner: has === 1, count: counted };
}

/**
 * Proves a domain that is not proved, for this tenant or another: the statement decides between two at once. A tenant
 * with a proved domain is vouched for.
 */
function prove(
  change: DomainChange,
  { by, value, condition }: { by: "dns" | "platform"; value: string | null; condition: SQL },
  nowMs: number,
) {
  const { tenantId, domain } = change;
  return {
    proved: sql`UPDATE domains SET state = 'proved', proved_by = ${by}, proved_value = ${value}, proved_at = ${nowMs},
        checked_at = iif(${by} = 'dns', ${nowMs}, checked_at), last_error = NULL, denied_days = 0, denied_at = NULL
      WHERE ${named(change)} AND ${condition} AND state <> 'proved'
        AND NOT EXISTS (SELECT 1 FROM domains o WHERE o.domain = ${domain} AND o.state = 'proved')`,
    provedRecorded: change.eventsOf("domain.proved", { domain, by }).map(auditIfChanged),
    trusted: sql`UPDATE tenants SET trusted_at = ${nowMs} WHERE id = ${tenantId} AND trusted_at IS NULL
      AND changes() > 0`,
  };
}

/**
 * Notes that both resolvers have seen `value`. Whoever asks without a setup link has looked at the domain. It is proved
 * unless another tenant has it: then it has `lastError`, as if there were no record. Returns it; undefined if it was
 * removed meanwhile.
 */
export async function noteFound(
  { db }: Deps,
  change: DomainChange,
  { value, lastError }: { value: string; lastError: string },
  nowMs: number,
): Promise<DomainRow | undefined> {
  const { found } = await atomically(db, {
    ...prove(change, { by: "dns", value, condition: sql`true` }, nowMs),
    checked: sql`UPDATE domains SET checked_at = ${nowMs}, last_error = iif(state = 'proved', NULL, ${lastError}),
        denied_days = 0, denied_at = NULL, needs_review = needs_review AND ${Number(change.isInSetup)}
      WHERE ${named(change)} AND NOT (state = 'proved' AND checked_at IS ${nowMs} AND needs_review = 0)`,
    found: rowOf(change),
  });
  return found[0];
}

/**
 * Notes that the record was not found when somebody asked. What is proved stays so: only the daily look-ups count.
 * Returns the domain; undefined if it was removed meanwhile.
 */
export async function noteMissing(
  { db }: Deps,
  change: Pick<DomainChange, "tenantId" | "domain">,
  lastError: string,
  nowMs: number,
): Promise<DomainRow | undefined> {
  const { found } = await atomically(db, {
    checked: sql`UPDATE domains SET checked_at = ${nowMs}, last_error = ${lastError} WHERE ${named(change)}`,
    found: rowOf(change),
  });
  return found[0];
}

/**
 * Removes a domain. The last one of a tenant that requires sign-on stays, unless `endsEnforcement`: then that ends,
 * too. With a setup link, only one goes that does not count yet.
 */
export async function deleteDomain(
  { db }: Deps,
  change: DomainChange,
  endsEnforcement: boolean,
): Promise<{ isRemoved: boolean; hasEnded: boolean }> {
  const { tenantId, domain } = change;
  const isLast = isLastDomain(tenantId, domain);
  const { ended, removed } = await atomically(db, {
    ended: endsEnforcement ? endEnforcement(tenantId, isLast) : undefined,
    endRecorded: endsEnforcement
      ? change.eventsOf("tenant.security_changed", { domain, signOn: "off" }).map(auditIfChanged)
      : undefined,
    removed: sql`DELETE FROM domains WHERE ${named(change)} AND NOT ${isLast}
      AND needs_review >= ${Number(change.isInSetup)} RETURNING domain`,
    recorded: change.eventsOf("domain.removed", { domain }).map(auditIfChanged),
  });
  return { isRemoved: removed.length === 1, hasEnded: ended !== undefined && ended.length === 1 };
}
