/**
 * The statements that record audit events. They belong in the batch of the change itself, so that an event exists if
 * and only if the change does.
 */
import { type SQL, sql } from "drizzle-orm";
import { newId, newIdSql } from "../../base/db/ids";
import { type Actor, anonymous, type RequestOrigin } from "../../base/schemas/actor";
import type { AuditAction, TargetKind } from "../../base/schemas/audit-actions";

/** Stands for a tenant in the events of the log of the service: what its operators have done. */
export const SERVICE_LOG = "operators";

type OrSql<T> = { [K in keyof T]: T[K] | SQL };

/** An event to record. Its values may be SQL, for events that are recorded for the rows of a query. */
export interface NewAuditEvent {
  tenantId: string | SQL;
  action: AuditAction;
  actor: OrSql<Actor>;
  target?: { kind: TargetKind; id: string | SQL };
  /** JSON, at most 4 KiB. Names of fields and values of enumerations only: no secrets, payloads or URLs. */
  meta?: Readonly<Record<string, string | number | boolean | null | readonly string[]>> | SQL;
}

/** Records an event, whatever else the batch does. */
export const audit = (event: NewAuditEvent): SQL => insert(event, sql`${newId()}`, sql`(SELECT 1)`);

/** Records an event if the statement before it in the batch has changed a row. Several can follow one statement. */
export const auditIfChanged = (event: NewAuditEvent): SQL =>
  insert(event, sql`${newId()}`, sql`(SELECT 1) WHERE changes() > 0`);

/** As `auditIfChanged`, for what an actor has done in a tenant. */
export const auditOf = (
  { tenantId, actor }: Pick<NewAuditEvent, "tenantId" | "actor">,
  action: AuditAction,
  target: NonNullable<NewAuditEvent["target"]>,
  meta?: NewAuditEvent["meta"],
): SQL => auditIfChanged({ tenantId, action, actor, target, ...(meta ? { meta } : {}) });

/** As `auditIfChanged`, for an event about a user. */
export const auditOfUser = (
  action: AuditAction,
  { tenantId, userId, actor }: Pick<NewAuditEvent, "tenantId" | "actor"> & { userId: string | SQL },
  meta?: NewAuditEvent["meta"],
): SQL => auditOf({ tenantId, actor }, action, { kind: "user", id: userId }, meta);

/** As `auditOfUser`, for what a user has done with a mailed link, without being signed in. */
export const auditOfLink = (
  action: AuditAction,
  userId: string,
  origin: RequestOrigin,
  meta?: NewAuditEvent["meta"],
): SQL =>
  auditOfUser(
    action,
    { tenantId: tenantOfAccount(userId), userId, actor: holderOfToken(sql`${userId}`, origin) },
    meta,
  );

/** An event whose action and target the row says too. */
type EventOfRow = Omit<NewAuditEvent, "action" | "target"> & {
  action: AuditAction | SQL;
  target?: { kind: TargetKind | SQL; id: string | SQL };
};

/** Records an event for each row of `from` (SQL: what follows FROM). */
export const auditEach = (event: EventOfRow, from: SQL, nowMs: number): SQL => insert(event, newIdSql(nowMs), from);

/**
 * Records an event about each subscription `s` of `from` (SQL: what follows FROM). `meta` has the members of the
 * event's meta, as arguments of SQL's `json_object`.
 */
export const auditWebhooks = (
  action: AuditAction & `webhook.${string}`,
  actor: Actor,
  from: SQL,
  nowMs: number,
  meta?: SQL,
): SQL =>
  auditEach(
    {
      tenantId: sql`s.tenant_id`,
      action,
      actor,
      target: { kind: "webhook", id: sql`s.id` },
      ...(meta ? { meta: sql`json_object(${meta})` } : {}),
    },
    from,
    nowMs,
  );

/** The user to whom a mailed token or a refresh token belongs, as an actor. `userId` is SQL. */
export const holderOfToken = (userId: SQL, origin: RequestOrigin): OrSql<Actor> => ({
  kind: "user",
  id: userId,
  name: sql`(SELECT au.email FROM users au WHERE au.id = ${userId})`,
  sessionId: null,
  ...origin,
});

/**
 * Somebody who acts on an account without being signed in to it. While its address is unverified, the account may
 * belong to somebody other than the owner of the address. They must not learn where the owner is, so IP address and
 * device are left out. `userId` is an id or SQL.
 */
export function strangerTo(userId: SQL | string, origin: RequestOrigin): OrSql<Actor> {
  const ifVerified = (value: string | null) =>
    value === null
      ? null
      : sql`(SELECT ${value} FROM users au WHERE au.id = ${userId} AND au.email_verified_at IS NOT NULL)`;
  return { ...anonymous(origin), ip: ifVerified(origin.ip), userAgent: ifVerified(origin.userAgent) };
}

/** The tenant that the next login of a user would open, as SQL; the user's id when they are a member of none. */
export const tenantOfAccount = (userId: string | SQL): SQL =>
  sql`coalesce((SELECT am.tenant_id FROM memberships am WHERE am.user_id = ${userId}
    ORDER BY am.last_used_at DESC, am.created_at, am.tenant_id LIMIT 1), ${userId})`;

function insert({ tenantId, action, actor, target, meta }: EventOfRow, id: SQL, from: SQL): SQL {
  const json = withApp(actor, meta === undefined ? null : isSql(meta) ? meta : JSON.stringify(meta));
  return sql`INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id, actor_name, target_kind, target_id,
    ip, user_agent,
      request_id, session_id, meta)
    SELECT ${tenantId}, ${id}, ${action}, ${actor.kind}, ${actor.id}, ${actor.name}, ${target?.kind ?? null},
      ${target?.id ?? null},
      ${actor.ip}, ${actor.userAgent}, ${actor.requestId}, ${actor.sessionId}, ${json}
    FROM ${from}`;
}

/** The meta with the app that the person acts with. */
const withApp = ({ app }: NewAuditEvent["actor"], json: string | SQL | null): string | SQL | null =>
  app === undefined ? json : sql`json_set(coalesce(${json}, '{}'), '$.app', ${app})`;

const isSql = (meta: NonNullable<NewAuditEvent["meta"]>): meta is SQL => "getSQL" in meta;
