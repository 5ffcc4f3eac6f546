/** Whom the policy of a tenant locks out, as SQL of the query that reads a session. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { managers } from "../../base/schemas/roles";

/**
 * Written, in parentheses, when a statement is first used: by then the isolate has read ROLES, whose names need no
 * quoting.
 */
const ADMINS: SQLWrapper = {
  getSQL: () =>
    sql.raw(
      managers()
        .map((role) => `'${role}'`)
        .join(", "),
    ),
};

/** True for a member `m` to whom the policy of the tenant `t` applies. */
export const IS_IN_SCOPE = sql`(t.second_factor = 'all' OR m.role IN ${ADMINS})`;

/**
 * As `SECOND_FACTOR_DUE`, for the portal link `p` of the user `u`, whose session is not known: one that was made since
 * then was made in a session that had a second factor.
 */
export const SECOND_FACTOR_OF_MAKER_DUE = sql`CASE
    WHEN t.second_factor_from IS NULL OR u.totp_enabled_at IS NOT NULL OR NOT ${IS_IN_SCOPE} THEN NULL
    WHEN p.created_at >= t.second_factor_from AND EXISTS (SELECT 1 FROM passkeys fp WHERE fp.user_id = u.id) THEN NULL
    ELSE t.second_factor_from END`;

/**
 * `methods` is the `amr` of a session of the user `u` and the member `m` of the tenant `t`. A confined session can set
 * no factor up, and the tenant's provider asks for those that it wants.
 */
export const dueAt = (methods: SQL): SQL => sql`CASE
    WHEN t.second_factor_from IS NULL OR instr(${methods}, '"sign-on"') > 0 OR u.totp_enabled_at IS NOT NULL
      OR NOT ${IS_IN_SCOPE} THEN NULL
    WHEN instr(${methods}, '"passkey"') > 0 AND EXISTS (SELECT 1 FROM passkeys fp WHERE fp.user_id = u.id) THEN NULL
    ELSE t.second_factor_from END`;

/**
 * From when the session `s` of the user `u` and the member `m` gets in only to set up a second factor (Unix ms); null
 * for never. A passkey counts in a session that it has opened or confirmed: until then, the session rests on one
 * factor. Reads nothing more in a tenant `t` without a policy.
 */
export const SECOND_FACTOR_DUE = dueAt(sql`s.amr`);

/** The same for a row of `sessions`, also in a RETURNING clause. Reads the tenant alone where it has no policy. */
export const SECOND_FACTOR_OF_SESSION_DUE = sql`(SELECT ${dueAt(sql`sessions.amr`)} FROM tenants t
    CROSS JOIN memberships m CROSS JOIN users u WHERE t.id = sessions.tenant_id AND t.second_factor_from IS NOT NULL
      AND m.tenant_id = t.id AND m.user_id = sessions.user_id AND u.id = m.user_id)`;
