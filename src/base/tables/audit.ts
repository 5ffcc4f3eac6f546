/**
 * The audit log. Every database has these tables: a change is recorded in the database and the batch in which it is
 * made.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ActorKind, AuditAction, TargetKind } from "../schemas/audit-actions";
import { PLATFORM_SOURCES } from "../schemas/platform-events";

const ACTIONS = Object.keys(PLATFORM_SOURCES);
const isOneOf = (actions: readonly string[]) =>
  sql.raw(`action IN (${actions.map((action) => `'${action}'`).join(", ")})`);
const isOfApp = (action: string) => action.startsWith("app.");

/** True for an audit event that can become an event of the platform, as SQL that the indexes below are used for. */
export const IS_FOR_PLATFORM = isOneOf(ACTIONS.filter((action) => !isOfApp(action)));
export const IS_OF_APP = isOneOf(ACTIONS.filter(isOfApp));

/** Who changed what, when and from where. The migration creates it WITHOUT ROWID. */
export const auditEvents = sqliteTable(
  "audit_events",
  {
    /** The user's id instead, for events of an account that is a member of no tenant. */
    tenantId: text("tenant_id").notNull(),
    /** A UUIDv7 with the time of the event. */
    id: text().notNull(),
    action: text().$type<AuditAction>().notNull(),
    actorKind: text("actor_kind").$type<ActorKind>().notNull(),
    /** Of the user or the API key. */
    actorId: text("actor_id"),
    /** The address of the user or the name of the API key at that time. */
    actorName: text("actor_name"),
    targetKind: text("target_kind").$type<TargetKind>(),
    targetId: text("target_id"),
    ip: text(),
    userAgent: text("user_agent"),
    requestId: text("request_id"),
    sessionId: text("session_id"),
    /** JSON: names of changed fields, and values of enumerations. Never a secret, a payload or a URL. */
    meta: text(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    // What a person did, and what strangers did to their account.
    index("audit_events_by_account").on(sql`coalesce(actor_id, target_id)`, t.id),
    index("audit_events_for_platform").on(t.id).where(IS_FOR_PLATFORM),
    // Beside it, because the version before names the one above with its condition.
    index("audit_events_of_apps").on(t.id).where(IS_OF_APP),
  ],
);

/**
 * The tenants whose audit log a subscription receives as operational events. The rows are in the database of the
 * subscriptions.
 */
export const auditFeeds = sqliteTable("audit_feeds", {
  tenantId: text("tenant_id").primaryKey(),
  /** Events that were recorded before this time have been published. */
  publishedTo: integer("published_to").notNull(),
});
