/** What a token of an app at our API still opens, in D1: with all that can end it, in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { dueAt } from "../../identity/tokens/due-store";
import { isRefusedByTenant } from "../../identity/tokens/sign-on-due-store";
import { STANDING_COLUMNS, type StandingRow } from "../../tenancy/tenants/standing-store";
import { isBlocked, isForTenant } from "../apps/rules/store";

/** What a token says. */
interface NamedToken {
  clientId: string;
  grantId: string;
  tenantId: string;
  /** Unix ms. */
  issuedAt: number;
}

interface AppOfPerson extends StandingRow {
  userId: string;
  email: string;
  role: string;
}

/** Whether the client `c` and our API stand for a token that was issued then. */
const stands = (issuedAt: number): SQL => sql`c.enabled = 1 AND coalesce(c.revoked_at, 0) < ${issuedAt}
  AND ${isForTenant(sql`t.id`)} AND NOT ${isBlocked(sql`c.id`, sql`t.id`)}
  AND NOT EXISTS (SELECT 1 FROM oauth_resources r WHERE r.id = 'api' AND r.enabled = 0)`;

/** The person of a grant that stands, in its tenant. */
export const findAppOfPerson = (
  { db, config }: Deps,
  { clientId, grantId, tenantId, issuedAt }: NamedToken,
  nowMs: number,
): Promise<AppOfPerson | undefined> =>
  queryFirst<AppOfPerson>(db)`SELECT u.id AS userId, u.email, m.role, ${STANDING_COLUMNS}
    FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id JOIN users u ON u.id = g.user_id
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id JOIN tenants t ON t.id = g.tenant_id
      LEFT JOIN sessions s ON s.id = g.session_id
    WHERE g.id = ${grantId} AND g.client_id = ${clientId} AND g.tenant_id = ${tenantId} AND ${stands(issuedAt)}
      AND coalesce(s.expires_at, g.expires_at) > ${nowMs} AND u.suspended_at IS NULL
      AND coalesce(${dueAt(sql`coalesce(s.amr, g.amr)`)} > ${nowMs}, true)
      AND NOT ${isRefusedByTenant(config, sql`coalesce(s.amr, g.amr)`, nowMs)}`;

/** A program that acts for itself, in a tenant that it is for, unless it has given its token back. */
export const findMachine = (
  { db }: Deps,
  { clientId, grantId, tenantId, issuedAt }: NamedToken,
): Promise<(StandingRow & { clientName: string }) | undefined> =>
  queryFirst<StandingRow & { clientName: string }>(db)`SELECT c.name AS clientName, ${STANDING_COLUMNS}
    FROM oauth_clients c JOIN tenants t ON t.id = ${tenantId}
    WHERE c.id = ${clientId} AND ${stands(issuedAt)}
      AND EXISTS (SELECT 1 FROM json_each(c.settings, '$.grants') e WHERE e.value = 'client_credentials')
      AND NOT EXISTS (SELECT 1 FROM revocations v WHERE v.at >= ${Math.floor(issuedAt / 1000)}
        AND v.key = ${`s:${grantId}:${tenantId}`})`;
