/**
 * The mails about failing subscriptions: which are due in a delivery database, across its tenants, and who gets them,
 * from the control plane.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import { MAIL_EVERY_MS, STAGE } from "../plane/stages";
import { disabledAfterMs, withCounts } from "./transitions-store";

/** How many of the newest attempts are searched for the last failed one. */
const NEWEST_ATTEMPTS = 500;
/** How many tenants one round trip serves. */
const TENANTS = 20;

/** A subscription of a tenant to which a mail is due. Times are Unix ms. */
export interface SubscriptionNotice {
  subscriptionId: string;
  tenantId: string;
  name: string;
  url: string;
  stage: number;
  /** 1 if this stage is reported by the mail that is due, 0 if an earlier mail has reported it. */
  isNew: 0 | 1;
  /** When the mail was composed. */
  mailedAt: number;
  reason: "failing" | "gone" | null;
  failingSince: number | null;
  disablesAt: number | null;
  failures: number;
  error: string | null;
}

/**
 * Composes the mails that are due, for some tenants. Returns the subscriptions in these mails, and in those that were
 * composed earlier and are not in the queue yet. A later call serves other tenants.
 */
export async function composeNotices(
  db: Db,
  defaultHours: number | null,
  nowMs: number,
): Promise<SubscriptionNotice[]> {
  const failing = sql`(SELECT * FROM episodes WHERE tenant_id IN (SELECT DISTINCT tenant_id FROM episodes
    WHERE is_mail_waiting = 1 LIMIT ${TENANTS}))`;
  const { notices } = await repeatable(() =>
    atomically(db, {
      // Reports that are already due go into one mail with those that have just become due.
      composed: sql`UPDATE episodes SET mailed_stage = stage, mailed_at = ${nowMs}, is_mail_waiting = 1
        WHERE stage > mailed_stage AND tenant_id IN (SELECT DISTINCT e.tenant_id FROM episodes e
          WHERE e.stage > e.mailed_stage AND (e.stage = ${STAGE.disabled}
            OR e.tenant_id NOT IN (SELECT tenant_id FROM episodes WHERE mailed_at > ${nowMs - MAIL_EVERY_MS}))
          LIMIT ${TENANTS})`,
      notices: rows<SubscriptionNotice>(sql`SELECT s.id AS subscriptionId, s.tenant_id AS tenantId, s.name, s.url,
          e.stage, e.is_mail_waiting AS isNew, e.mailed_at AS mailedAt, s.disabled_reason AS reason,
          e.failing_since AS failingSince, e.failing_since + ${disabledAfterMs(defaultHours)} AS disablesAt,
          coalesce(h.sent_failures, 0) AS failures,
          (SELECT error FROM (SELECT a.status, a.error FROM attempts a WHERE a.subscription_id = s.id ORDER BY a.id DESC
            LIMIT ${NEWEST_ATTEMPTS}) WHERE status = 'failed' LIMIT 1) AS error
        FROM ${withCounts(failing)}
        WHERE e.is_mail_waiting = 1 OR (e.failing_since IS NOT NULL AND (e.stage = ${STAGE.disabled}
          OR (e.stage IN (${STAGE.failing}, ${STAGE.atRisk}) AND s.enabled = 1)))
        ORDER BY e.stage = ${STAGE.recovered}, e.failing_since`),
    }),
  );
  return notices;
}

/**
 * Notes that the mails about these subscriptions are in the queue. One that a later mail reports still waits for
 * that mail.
 */
export async function noteQueued(
  db: Db,
  mailed: readonly Pick<SubscriptionNotice, "subscriptionId" | "mailedAt">[],
): Promise<void> {
  const list = jsonList(mailed);
  await repeatable(() =>
    atomically(db, {
      queued: sql`UPDATE episodes SET is_mail_waiting = 0 WHERE (subscription_id, mailed_at) IN (
        SELECT value ->> 'subscriptionId', value ->> 'mailedAt' FROM json_each(${list}))`,
    }),
  );
}

export interface SubscriptionNoticeRecipient {
  tenantId: string;
  tenantName: string;
  userId: string;
}

/** Returns the owners and admins of these tenants who have not turned the mails off. */
export async function readNoticeRecipients(
  { db }: Deps,
  tenantIds: readonly string[],
): Promise<SubscriptionNoticeRecipient[]> {
  // Each role has an index: the tenant can have 100,000 other members.
  const having = (role: SQL) => sql`SELECT m.tenant_id AS tenantId, t.name AS tenantName, m.user_id AS userId
    FROM json_each(${jsonList(tenantIds)}) j CROSS JOIN memberships m ON m.tenant_id = j.value CROSS
      JOIN tenants t ON t.id = m.tenant_id
    WHERE m.role = ${role} AND m.alerts = 1`;
  const [owners, admins] = [having(sql`'owner'`), having(sql`'admin'`)];
  return query<SubscriptionNoticeRecipient>(db)`${owners} UNION ALL ${admins}`;
}
