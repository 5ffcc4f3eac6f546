/**
 * What tenants' directories keep here by SCIM: their tokens, people and groups, and the jobs that give roles. In the
 * control plane. The migration creates the tables WITHOUT ROWID, and triggers that count records in `connections`.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** With which a directory calls. Revoking one deletes it. */
export const scimTokens = sqliteTable(
  "scim_tokens",
  {
    /** SHA-256. */
    hash: text().primaryKey(),
    id: text().notNull(),
    connectionId: text("connection_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Null: it does not end. */
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    /** How many days before its end the owners were last told; null: not yet. */
    toldDays: integer("told_days"),
    /** 1: somebody with a setup link has made it, and it works once an owner has activated the connection again. */
    needsReview: integer("needs_review").notNull().default(0),
  },
  (t) => [
    index("scim_tokens_by_connection").on(t.connectionId),
    index("scim_tokens_by_tenant").on(t.tenantId),
    index("scim_tokens_that_end").on(t.expiresAt).where(sql`expires_at IS NOT NULL`),
  ],
);

export const DIRECTORY_STATES = ["active", "inactive", "held", "removed"] as const;

/** A person of a directory. */
export const directoryUsers = sqliteTable(
  "directory_users",
  {
    connectionId: text("connection_id").notNull(),
    /** What the directory calls the record; not the account's. */
    id: text().notNull(),
    /** `userName` in lower case; null of removed ones, so that the name is free. */
    nameKey: text("name_key"),
    externalId: text("external_id"),
    /** The address by which the account is found, in lower case; null: there is none. */
    email: text(),
    /** The account; null: there is none. */
    userId: text("user_id"),
    /** 1: the record has made the account. */
    isMaker: integer("is_maker").notNull().default(0),
    /** Held ones would be active, and their `reason` says why they are not. Removed ones keep their account out. */
    state: text({ enum: DIRECTORY_STATES }).notNull(),
    reason: text(),
    /** Since when it has this state. */
    stateAt: integer("state_at").notNull(),
    /** What is kept of what was sent; JSON. */
    record: text().notNull(),
    /** Another address of the record, in lower case; null: there is none, or there was no such column yet. */
    otherEmail: text("other_email"),
    /** 1: it has more addresses than those two. */
    hasMoreEmails: integer("has_more_emails").notNull().default(0),
    /** Counts its changes. */
    version: integer().notNull(),
    /** The last write, by which the statements of its batch see that it was made. */
    writeId: text("write_id").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    uniqueIndex("directory_users_by_name").on(t.connectionId, t.nameKey),
    index("directory_users_by_external_id").on(t.connectionId, t.externalId).where(sql`external_id IS NOT NULL`),
    index("directory_users_by_email").on(t.connectionId, t.email),
    index("directory_users_by_other_email").on(t.connectionId, t.otherEmail).where(sql`other_email IS NOT NULL`),
    index("directory_users_by_account").on(t.userId).where(sql`user_id IS NOT NULL`),
    index("directory_users_by_change").on(t.connectionId, t.updatedAt),
    index("directory_users_with_more_emails").on(t.connectionId, t.id).where(sql`has_more_emails = 1`),
    // Of 100,000 people, few are held.
    index("directory_users_held").on(t.connectionId, t.id).where(sql`state = 'held'`),
    index("directory_users_to_judge").on(t.connectionId, t.id).where(sql`state = 'held' AND reason IS NULL`),
    index("directory_users_that_left").on(t.stateAt).where(sql`state IN ('inactive', 'removed')`),
  ],
);

/** A group of a directory. */
export const directoryGroups = sqliteTable(
  "directory_groups",
  {
    connectionId: text("connection_id").notNull(),
    id: text().notNull(),
    /** `displayName` in lower case. */
    nameKey: text("name_key").notNull(),
    displayName: text("display_name").notNull(),
    externalId: text("external_id"),
    version: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    uniqueIndex("directory_groups_by_name").on(t.connectionId, t.nameKey),
    index("directory_groups_by_external_id").on(t.connectionId, t.externalId).where(sql`external_id IS NOT NULL`),
  ],
);

/** Who is in a group. */
export const directoryMembers = sqliteTable(
  "directory_members",
  {
    connectionId: text("connection_id").notNull(),
    groupId: text("group_id").notNull(),
    /** The id of the record of the person. */
    personId: text("person_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.groupId, t.personId] }),
    index("directory_members_by_person").on(t.connectionId, t.personId),
  ],
);

/** Work over all people of a connection that goes on page by page; one of each kind. */
export const directoryJobs = sqliteTable(
  "directory_jobs",
  {
    connectionId: text("connection_id").notNull(),
    /** `roles`, `end`, or `removed`, a slash and the number of a page of members who are to be recorded. */
    kind: text().notNull(),
    tenantId: text("tenant_id").notNull(),
    /** The last record that is done; empty: none is. */
    cursor: text().notNull(),
    /** What else it must know; JSON. Null: nothing. */
    input: text(),
    /** When it goes on; also the end of the lease of whoever works on it. */
    dueAt: integer("due_at").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.kind] }),
    index("directory_jobs_due").on(t.dueAt),
    index("directory_jobs_by_tenant").on(t.tenantId),
  ],
);
