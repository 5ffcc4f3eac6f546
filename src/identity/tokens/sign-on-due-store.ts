/** Whom a tenant lets in by its own sign-on alone, as SQL of the statements that read or write a session. */
import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../base/config/config";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { jsonList } from "../../base/db/client";

/** The settings that decide whether a tenant's rule counts, and for whom it never does. */
export type SignOnRule = Pick<Config, "signOn" | "publicUrl" | "operators">;

/**
 * True for a user `u` to whom the rule of the tenant `t` applies. A domain that is lost still counts: broken DNS must
 * not open the tenant. One that no owner has looked at does not: its people cannot sign on yet.
 */
export const IS_TO_SIGN_ON = sql`(t.sign_on = 'all' OR EXISTS (SELECT 1 FROM domains sd WHERE sd.tenant_id = t.id
    AND sd.domain = substr(u.email, instr(u.email, '@') + 1) AND sd.state <> 'pending' AND sd.needs_review = 0))`;

const includes = (methods: SQL, method: string): SQL => sql`instr(${methods}, ${sql.raw(`'"${method}"'`)}) > 0`;

/** Owners get in without the provider, which may be down, but with two factors of their own. */
const breaksGlass = (methods: SQL): SQL => sql`(m.role = 'owner' AND (${includes(methods, "passkey")}
    OR ((${includes(methods, "totp")} OR ${includes(methods, "recovery")})
      AND (${includes(methods, "password")} OR ${includes(methods, "code")}))))`;

/**
 * From when the tenant `t` refuses sessions with these `methods` (the column `amr`) of the user `u` and the member `m`,
 * Unix ms; null for never. Reads nothing more in a tenant that does not require sign-on.
 */
const signOnDueAt = (methods: SQL): SQL => sql`CASE
    WHEN t.sign_on_from IS NULL OR ${includes(methods, "sign-on")} OR ${breaksGlass(methods)} OR NOT ${IS_TO_SIGN_ON}
    THEN NULL ELSE t.sign_on_from END`;

/** The same for the session `s`. Whether the rule counts at all, and for operators, the settings say. */
export const SIGN_ON_DUE = signOnDueAt(sql`s.amr`);

/** True for the account `u` of one of the operators of the service, for whom no tenant's provider vouches. */
const isAmong = (operators: SQL): SQL => sql`(u.email_verified_at IS NOT NULL AND u.email_verified_by IS NULL
    AND u.email IN (SELECT value FROM json_each(${operators})))`;

const isOperators = ({ operators }: SignOnRule): SQL =>
  operators.length === 0 ? sql`false` : isAmong(sql`${jsonList(operators)}`);

/**
 * True if the tenant `t` refuses what the portal link `p` of the user `u` does, as of `nowMs` and for `operators`
 * (JSON), which are SQL. The session of the link is not known: one that was made since then was made in a session that
 * was let in.
 */
export const isMakerRefused = (nowMs: SQL, operators: SQL): SQL => sql`coalesce(t.sign_on_from <= ${nowMs}
    AND p.created_at < t.sign_on_from AND ${IS_TO_SIGN_ON} AND NOT ${isAmong(operators)}, 0)`;

/** True if the tenant `t` refuses a session with these methods of the user `u` and the member `m`. */
export const isRefusedByTenant = (rule: SignOnRule, methods: SQL, nowMs: number): SQL =>
  hasSignOn(rule) ? sql`coalesce(${signOnDueAt(methods)} <= ${nowMs} AND NOT ${isOperators(rule)}, false)` : sql`false`;

/** As `isRefusedByTenant`, where only `u` and `m` are read. Reads no row while no tenant requires sign-on. */
export const isMemberRefused = (rule: SignOnRule, methods: SQL, nowMs: number): SQL =>
  hasSignOn(rule)
    ? sql`EXISTS (SELECT 1 FROM tenants t INDEXED BY tenants_sign_on WHERE t.id = m.tenant_id
        AND t.sign_on_from IS NOT NULL AND ${isRefusedByTenant(rule, methods, nowMs)})`
    : sql`false`;

/**
 * True if the tenant requires its own sign-on of whoever proves this address and joins it. Costs as `isMemberRefused`.
 */
export const isSignOnForNew = (rule: SignOnRule, tenantId: SQL, email: string, nowMs: number): SQL =>
  hasSignOn(rule)
    ? sql`EXISTS (SELECT 1 FROM tenants t INDEXED BY tenants_sign_on
        CROSS JOIN (SELECT ${email} AS email, 1 AS email_verified_at, NULL AS email_verified_by) u
        WHERE t.id = ${tenantId} AND t.sign_on_from IS NOT NULL AND t.sign_on_from <= ${nowMs} AND ${IS_TO_SIGN_ON}
          AND NOT ${isOperators(rule)})`
    : sql`false`;

/** A session, as SQL: in which tenant, of whom, and how it was opened and confirmed. */
interface SessionSql {
  tenantId: SQL | string;
  userId: SQL | string;
  methods: SQL;
}

/** As `isMemberRefused`, by ids. */
export const isSessionRefused = (rule: SignOnRule, session: SessionSql, nowMs: number): SQL =>
  ofEnforcing(rule, session, isRefusedByTenant(rule, session.methods, nowMs));

/** For a row of `sessions`. */
export const THIS_SESSION: SessionSql = {
  tenantId: sql`sessions.tenant_id`,
  userId: sql`sessions.user_id`,
  methods: sql`sessions.amr`,
};

/** True for a session that an owner has opened without the provider, in a tenant that requires it. */
export const hasBrokenGlass = (rule: SignOnRule, session: SessionSql, nowMs: number): SQL =>
  ofEnforcing(
    rule,
    session,
    sql`t.sign_on_from <= ${nowMs} AND ${breaksGlass(session.methods)} AND ${IS_TO_SIGN_ON}
      AND NOT ${includes(session.methods, "sign-on")} AND NOT ${isOperators(rule)}`,
  );

/** The meta of an audit event about the session, which says so if an owner has opened it without the provider. */
export const withBrokenGlass = (
  rule: SignOnRule,
  session: SessionSql,
  meta: Readonly<Record<string, string | null>>,
  nowMs: number,
): SQL | typeof meta =>
  hasSignOn(rule)
    ? sql`json_patch(${JSON.stringify(meta)},
        iif(${hasBrokenGlass(rule, session, nowMs)}, '{"breakGlass":true}', '{}'))`
    : meta;

const ofEnforcing = (rule: SignOnRule, { tenantId, userId }: SessionSql, condition: SQL): SQL =>
  hasSignOn(rule)
    ? sql`EXISTS (SELECT 1 FROM tenants t INDEXED BY tenants_sign_on CROSS JOIN memberships m CROSS JOIN users u
        WHERE t.id = ${tenantId} AND t.sign_on_from IS NOT NULL AND m.tenant_id = t.id AND m.user_id = ${userId}
          AND u.id = m.user_id AND ${condition})`
    : sql`false`;
