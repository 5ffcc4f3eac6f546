/** A tenant that requires its own sign-on, in D1: what that takes, and what must stay as long as it does. */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../base/time";
import { IS_TO_SIGN_ON } from "../tokens/sign-on-due-store";
import { IS_OPEN } from "./open-connection-store";

/** How old the owner's own sign-on may be, or their test. */
const TRIED_WITHIN_MS = 7 * DAY_MS;

const hasOpenConnection = (tenantId: string, but = ""): SQL =>
  sql`EXISTS (SELECT 1 FROM connections c WHERE c.tenant_id = ${tenantId} AND c.id <> ${but} AND ${IS_OPEN})`;

/** True if the user has signed on through a connection of the tenant lately, or tested one. */
const hasTried = (tenantId: string, userId: string, nowMs: number): SQL =>
  sql`EXISTS (SELECT 1 FROM connections c WHERE c.tenant_id = ${tenantId} AND ${IS_OPEN}
    AND (EXISTS (SELECT 1 FROM connection_identities i WHERE i.user_id = ${userId} AND i.connection_id = c.id
        AND i.generation = c.generation AND coalesce(i.last_used_at, i.created_at) > ${nowMs - TRIED_WITHIN_MS})
      OR EXISTS (SELECT 1 FROM sign_on_traces st WHERE st.connection_id = c.id AND st.ring = 'test'
        AND st.user_id = ${userId} AND st.outcome = 'succeeded' AND st.at > ${nowMs - TRIED_WITHIN_MS})))`;

/** Whoever begins to require sign-on must not lock the owners out, nor themselves. */
export const ownersCanSignOn = (
  { tenantId, userId }: { tenantId: string; userId: string | null },
  isForDomains: SQL,
  nowMs: number,
) => ({
  connection: hasOpenConnection(tenantId),
  domain: sql`(NOT ${isForDomains}
    OR EXISTS (SELECT 1 FROM domains pd WHERE pd.tenant_id = ${tenantId} AND pd.state = 'proved'
      AND pd.needs_review = 0))`,
  // The product is no owner, and locks nobody out of its own.
  tried: userId === null ? sql`1` : hasTried(tenantId, userId, nowMs),
});

/** True while the tenant requires sign-on, or is about to. Reads no row while no tenant does. */
const requiresSignOn = (tenantId: string): SQL => sql`EXISTS (SELECT 1 FROM tenants et INDEXED BY tenants_sign_on
  WHERE et.id = ${tenantId} AND et.sign_on_from IS NOT NULL)`;

/** True if the connection is the last one through which people sign on, in a tenant that requires it. */
export const isLastWayIn = (tenantId: string, connectionId: string): SQL =>
  sql`(${requiresSignOn(tenantId)} AND NOT ${hasOpenConnection(tenantId, connectionId)})`;

/** True for a domain `ld` that the tenant has proved, also if it is lost. */
const WAS_PROVED = sql`(ld.state <> 'pending' AND ld.needs_review = 0)`;

/** True if the domain is the last one that the tenant has proved, and it requires sign-on. */
export const isLastDomain = (tenantId: string, domain: string): SQL => sql`(${requiresSignOn(tenantId)}
  AND EXISTS (SELECT 1 FROM domains ld WHERE ld.tenant_id = ${tenantId} AND ld.domain = ${domain} AND ${WAS_PROVED})
  AND NOT EXISTS (SELECT 1 FROM domains ld WHERE ld.tenant_id = ${tenantId} AND ld.domain <> ${domain}
    AND ${WAS_PROVED}))`;

/** Requires sign-on no more, if `condition` holds. Changes a row if the tenant did. */
export const endEnforcement = (tenantId: string, condition = sql`true`): SQL =>
  sql`UPDATE tenants SET sign_on = NULL, sign_on_from = NULL, sign_on_begun_at = NULL
    WHERE id = ${tenantId} AND sign_on_from IS NOT NULL AND ${condition} RETURNING id`;

const MOST_COUNTED = 1_000;

/** How many members of the tenant `t` would have to sign on and have never done so; at most 1,000 are counted. */
export const COUNT_WITHOUT = sql`(SELECT count(*) FROM (SELECT 1 FROM memberships cm CROSS JOIN users u
  WHERE t.sign_on IS NOT NULL AND cm.tenant_id = t.id AND u.id = cm.user_id AND ${IS_TO_SIGN_ON}
    AND NOT EXISTS (SELECT 1 FROM connections c CROSS JOIN connection_identities i WHERE c.tenant_id = t.id
      AND ${IS_OPEN} AND i.user_id = u.id AND i.connection_id = c.id AND i.generation = c.generation
      AND i.removed_at IS NULL)
  LIMIT ${sql.raw(String(MOST_COUNTED))}))`;
