/** What daily look-ups of proved domains read and note, in the control plane. Each looks across tenants. */
import { sql } from "drizzle-orm";
import { atomically, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { SYSTEM } from "../../base/schemas/actor";
import { HOUR_MS } from "../../base/time";
import { auditOf } from "../../tenancy/audit/record-store";

/** A domain that DNS has proved. */
export interface ProvedDomain {
  tenantId: string;
  domain: string;
  provedValue: string | null;
  deniedDays: number;
  lastError: string | null;
}

/** After so many days in turn without the record, a domain is lost. */
export const DAYS_TO_LOSE = 3;
/** Less than a day: a run does not begin to the minute. */
const LEAST_BETWEEN_MS = 20 * HOUR_MS;

/** The domains that DNS has proved, by name, behind `after`. */
export const nextProvedDomains = ({ db }: Deps, after: string, limit: number): Promise<ProvedDomain[]> =>
  query<ProvedDomain>(db)`SELECT d.tenant_id AS tenantId, d.domain, d.proved_value AS provedValue,
      d.denied_days AS deniedDays, d.last_error AS lastError
    FROM domains d INDEXED BY domains_proved WHERE d.state = 'proved' AND d.domain > ${after} AND d.proved_by = 'dns'
    ORDER BY d.domain LIMIT ${limit}`;

/** Notes that the record is there again. */
export async function noteFoundAgain({ db }: Deps, { tenantId, domain }: ProvedDomain, nowMs: number): Promise<void> {
  await query(db)`UPDATE domains SET denied_days = 0, denied_at = NULL, last_error = NULL, checked_at = ${nowMs}
    WHERE tenant_id = ${tenantId} AND domain = ${domain} AND state = 'proved'`;
}

/**
 * Counts a day without the record; the third in turn loses the domain. Returns how many days there are now; undefined
 * if one was counted today already, or the domain is not proved any more.
 */
export async function noteDenied(
  { db }: Deps,
  { tenantId, domain }: ProvedDomain,
  lastError: string,
  nowMs: number,
): Promise<number | undefined> {
  const isDue = sql`tenant_id = ${tenantId} AND domain = ${domain} AND state = 'proved' AND proved_by = 'dns'
    AND (denied_at IS NULL OR denied_at <= ${nowMs - LEAST_BETWEEN_MS})`;
  const counted = sql`denied_days = denied_days + 1, denied_at = ${nowMs}, checked_at = ${nowMs},
    last_error = ${lastError}`;
  const { lost, counting } = await atomically(db, {
    lost: sql`UPDATE domains SET state = 'lost', ${counted} WHERE ${isDue} AND denied_days >= ${DAYS_TO_LOSE - 1}
      RETURNING denied_days AS days`,
    recorded: auditOf({ tenantId, actor: SYSTEM }, "domain.lost", { kind: "domain", id: domain }, { domain }),
    counting: sql`UPDATE domains SET ${counted} WHERE ${isDue} RETURNING denied_days AS days`,
  });
  return ([...lost, ...counting] as { days: number }[])[0]?.days;
}
