/**
 * Accounts, tenants and who is where; `credentials.ts` has the rest of how people and programs sign in. Times are Unix
 * milliseconds; ids are UUIDv7; secrets are encrypted or hashed.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Locale } from "../schemas/locales";
import { IS_OF_PRODUCT, type Role } from "../schemas/roles";

/** The customers, each with its own members, subscriptions and events. */
export const tenants = sqliteTable(
  "tenants",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** The delivery database that has its subscriptions, events and deliveries: 0 is `DB`, n is `SHARD_n`. */
    shard: integer().notNull().default(0),
    /** The database from which it was moved, while that has rows of it; null: none. */
    formerShard: integer("former_shard"),
    /** The user who registered it. */
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Since when an operator has suspended it, and why; null: it is not suspended. */
    suspendedAt: integer("suspended_at"),
    suspendedReason: text("suspended_reason"),
    /**
     * What it keeps in its delivery database, as the hourly upkeep has counted it; 0 while that is far below the limit.
     */
    storedBytes: integer("stored_bytes").notNull().default(0),
    /** What the product calls it. */
    externalId: text("external_id"),
    /** When the product vouched for it: it then counts as one with a verified owner. */
    trustedAt: integer("trusted_at"),
    /** When what `/platform/tenants` shows last changed; null: not since it was created. Kept by a trigger. */
    updatedAt: integer("updated_at"),
    /** Who needs a second factor; null: nobody. */
    secondFactor: text("second_factor", { enum: ["admins", "all"] }),
    /** How many days members have had to set one up, and when those end; null: no policy is on. */
    secondFactorGraceDays: integer("second_factor_grace_days"),
    secondFactorFrom: integer("second_factor_from"),
    /** Who must sign on at the tenant's own identity provider; null: nobody. */
    signOn: text("sign_on", { enum: ["domains", "all"] }),
    /** How many days members have had until then, and from when it is required; null: it is not. */
    signOnGraceDays: integer("sign_on_grace_days"),
    signOnFrom: integer("sign_on_from"),
    /** When the tokens ended that were issued before it was required; null: not yet. */
    signOnBegunAt: integer("sign_on_begun_at"),
    /** Which apps may be used that nobody has registered: those that it allows, or none; null: all. */
    unlistedApps: text("unlisted_apps", { enum: ["listed", "block"] }),
    /** When its audit log first lost events to AUDIT_MAX_ROWS; null: never. */
    auditTrimmedAt: integer("audit_trimmed_at"),
    /** Increases with each change of what publishing obeys (`webhooks/event-types/`); null: it obeys nothing. */
    rulesRevision: integer("rules_revision"),
    /** What the product keeps with it: JSON objects of at most 2 and 1 KiB; null: none. Members see the second. */
    metadata: text(),
    publicMetadata: text("public_metadata"),
    /** How many members it has. Kept by triggers: a join must not count them. */
    memberCount: integer("member_count").notNull().default(0),
  },
  (t) => [
    uniqueIndex("tenants_by_external_id").on(t.externalId).where(sql`external_id IS NOT NULL`),
    index("tenants_by_update").on(sql`coalesce(updated_at, created_at)`, t.id),
    index("tenants_by_name").on(sql`lower(name)`),
    index("tenants_storing").on(t.shard).where(sql`stored_bytes > 0`),
    index("tenants_by_maker").on(t.createdBy),
    // Empty while no tenant requires sign-on: whoever asks it then reads no row.
    index("tenants_sign_on").on(t.id).where(sql`sign_on_from IS NOT NULL`),
    index("tenants_sign_on_begins").on(t.signOnFrom).where(sql`sign_on_from IS NOT NULL AND sign_on_begun_at IS NULL`),
  ],
);

/** The people who have accounts, in whatever tenants. */
export const users = sqliteTable(
  "users",
  {
    id: text().primaryKey(),
    /** NFKC-normalised and lower-cased. */
    email: text().notNull().unique(),
    name: text(),
    /** The language of their mails; null: DEFAULT_LOCALE. */
    locale: text().$type<Locale>(),
    /**
     * PHC string, or a hash that another service made, behind "imported:", its kind and the id of its import; empty: no
     * password is accepted until the next reset.
     */
    passwordHash: text("password_hash").notNull(),
    /** The kind of an imported hash; null for any other. Derived, so that no write of a password can forget it. */
    passwordKind: text("password_kind").generatedAlwaysAs(
      sql`iif(substr(password_hash, 1, 9) = 'imported:',
        substr(password_hash, 10, instr(substr(password_hash, 10), ':') - 1), NULL)`,
      { mode: "virtual" },
    ),
    /** The import that brought the hash; null for one of ours. */
    passwordImport: text("password_import").generatedAlwaysAs(
      sql`iif(substr(password_hash, 1, 9) = 'imported:',
        substr(password_hash, 10 + instr(substr(password_hash, 10), ':'), 36), NULL)`,
      { mode: "virtual" },
    ),
    /** When a password was last taken away, which somebody else may know; null: never. Kept by a trigger. */
    passwordRemovedAt: integer("password_removed_at"),
    emailVerifiedAt: integer("email_verified_at"),
    /**
     * "provider" while only a sign-in provider vouches for the address, "connection" while only a tenant's own does,
     * "platform" while only the product does; null once a mail of ours has proven it.
     */
    emailVerifiedBy: text("email_verified_by", { enum: ["provider", "connection", "platform"] }),
    verificationMailedAt: integer("verification_mailed_at"),
    totpSecretEncrypted: text("totp_secret_encrypted"),
    /** Changes with the secret. The ciphertext also changes when `SECRET_KEYS` is rotated, so writes compare this. */
    totpEnrolmentId: text("totp_enrolment_id"),
    totpEnabledAt: integer("totp_enabled_at"),
    /** Last TOTP time step that was accepted: a code works once (RFC 6238 section 5.2). */
    totpLastStep: integer("totp_last_step").notNull().default(0),
    /** Where the registration came from: "Firefox on Linux, Lisbon, PT". */
    createdFrom: text("created_from"),
    createdAt: integer("created_at").notNull(),
    /** Since when an operator has suspended the account, and why; null: it is not suspended. */
    suspendedAt: integer("suspended_at"),
    suspendedReason: text("suspended_reason"),
    /** 1: the API keys of the account work while it is suspended. */
    keepApiKeys: integer("keep_api_keys").notNull().default(0),
    /** What the product calls the person. */
    externalId: text("external_id"),
    /** When what `/platform/users` shows last changed; null: not since the registration. Kept by a trigger. */
    updatedAt: integer("updated_at"),
    /** As of tenants; the user sees the second. */
    metadata: text(),
    publicMetadata: text("public_metadata"),
  },
  (t) => [
    uniqueIndex("users_by_external_id").on(t.externalId).where(sql`external_id IS NOT NULL`),
    index("users_by_update").on(sql`coalesce(updated_at, created_at)`, t.id),
    index("users_by_password_import").on(t.passwordImport).where(sql`password_kind IS NOT NULL`),
  ],
);

/** Which role a user has in a tenant: one each. */
export const memberships = sqliteTable(
  "memberships",
  {
    tenantId: text("tenant_id").notNull(),
    userId: text("user_id").notNull(),
    role: text().$type<Role>().notNull(),
    /** Since when the member has been an owner; null for a tenant's creator, and from before the column existed. */
    ownerSince: integer("owner_since"),
    /** When the user last signed in to this tenant or switched to it; 0 for never. */
    lastUsedAt: integer("last_used_at").notNull().default(0),
    /** Whether the user gets mails about failing subscriptions of this tenant, if the role is owner or admin. */
    alerts: integer({ mode: "boolean" }).notNull().default(true),
    createdAt: integer("created_at").notNull(),
    /** As of tenants; the member sees the second. */
    metadata: text(),
    publicMetadata: text("public_metadata"),
    /** The connection that has made the membership; null: none has. */
    connectionId: text("connection_id"),
    /** Who gave the role of a member who signs on: somebody here, so that it stays, or the directory; null: nobody. */
    roleBy: text("role_by", { enum: ["hand", "directory"] }),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    index("memberships_by_user").on(t.userId),
    index("memberships_by_connection").on(t.connectionId).where(sql`connection_id IS NOT NULL`),
    index("memberships_by_joining").on(t.tenantId, t.createdAt, t.userId),
    // Of 100,000 members, few are owners or admins.
    index("memberships_of_owners").on(t.tenantId, t.createdAt, t.userId).where(sql`role = 'owner'`),
    index("memberships_of_admins").on(t.tenantId, t.userId).where(sql`role = 'admin'`),
    // Has no entries for our own roles.
    index("memberships_by_role_of_product").on(t.role).where(sql.raw(IS_OF_PRODUCT)),
  ],
);

/** One row per login; the refresh token's generation counts up in place. */
export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    generation: integer().notNull(),
    /** SHA-256 of the current refresh token. */
    refreshTokenHash: text("refresh_token_hash").notNull(),
    rotatedAt: integer("rotated_at").notNull(),
    /** SHA-256 of the Idempotency-Key of the last rotation. */
    rotationKeyHash: text("rotation_key_hash"),
    deviceName: text("device_name"),
    browser: text(),
    operatingSystem: text("operating_system"),
    platform: text(),
    ipAddress: text("ip_address"),
    location: text(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    lastActivityAt: integer("last_activity_at").notNull(),
    /**
     * When the user last confirmed the session (step-up); null: not since the sign-in; 0 if the sign-in itself does not
     * count either, because it used no factor of an account that has a passkey.
     */
    confirmedAt: integer("confirmed_at"),
    /** JSON array of `AuthMethod`: how the session was opened and confirmed. Null before the column existed. */
    amr: text(),
    /** When the session was last moved to its tenant; null: never. Tokens from before are of an earlier stay there. */
    tenantSince: integer("tenant_since"),
    /** How often the console's cookie was replaced, and when last. */
    cookieGeneration: integer("cookie_generation").notNull().default(0),
    cookieReplacedAt: integer("cookie_replaced_at"),
    /** The connection whose sign-on has opened it: it is of its tenant alone. Null for every other session. */
    connectionId: text("connection_id"),
    /** What the identity provider says of that sign-on: how strong it was, and its own session. */
    idpAcr: text("idp_acr"),
    idpSid: text("idp_sid"),
    /** When it ends at the latest, refreshed or not; null: refreshing prolongs it. */
    endsAt: integer("ends_at"),
  },
  (t) => [
    index("sessions_by_user").on(t.userId),
    index("sessions_by_expiry").on(t.expiresAt),
    index("sessions_by_connection").on(t.connectionId, t.idpSid).where(sql`connection_id IS NOT NULL`),
  ],
);

/**
 * The browsers and places that users have signed in from in the last 90 days. The migration creates it WITHOUT ROWID.
 */
export const knownDevices = sqliteTable(
  "known_devices",
  {
    userId: text("user_id").notNull(),
    /** A keyed digest, see sessions/known-devices.ts. */
    key: text().notNull(),
    /** The time of the last sign-in, or up to a day earlier. */
    lastSeenAt: integer("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index("known_devices_by_last_seen").on(t.lastSeenAt)],
);

/** Offers of a role in a tenant, by email. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    email: text().notNull(),
    role: text().$type<Role>().notNull(),
    invitedBy: text("invited_by").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    acceptedAt: integer("accepted_at"),
    acceptedBy: text("accepted_by"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [
    index("invitations_by_tenant").on(t.tenantId),
    index("invitations_by_expiry").on(t.expiresAt),
    index("invitations_by_email").on(t.email),
    index("invitations_by_inviter").on(t.invitedBy),
    index("invitations_by_guest").on(t.acceptedBy).where(sql`accepted_by IS NOT NULL`),
  ],
);
