/**
 * Links and tokens with which a tenant lets others see some of its pages: its own customers, with those of portals, and
 * its administrators, with setup links.
 */
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PortalMakerKind, PortalTheme, SetupTask } from "../schemas/portal-schemas";
import type { Permission } from "../schemas/roles";

/**
 * A link, with the session that it has opened, or a token for the API. The migration creates it WITHOUT ROWID.
 */
export const portalLinks = sqliteTable(
  "portal_links",
  {
    id: text().primaryKey(),
    tenantId: text("tenant_id").notNull(),
    kind: text({ enum: ["link", "token", "setup"] }).notNull(),
    /** SHA-256 of the token. */
    hash: text().notNull(),
    /** SHA-256 of the secret in the cookie; null until the link is opened, and for a token. */
    sessionHash: text("session_hash"),
    /** Who made it. It holds what this caller still holds. */
    makerKind: text("maker_kind").$type<PortalMakerKind>().notNull(),
    makerId: text("maker_id").notNull(),
    /** Of a setup link, what it is for. */
    permissions: text({ mode: "json" }).$type<Permission[] | SetupTask[]>().notNull(),
    theme: text({ mode: "json" }).$type<PortalTheme>(),
    returnUrl: text("return_url"),
    createdAt: integer("created_at").notNull(),
    /** When the link, and its session, or the token ends; the time of the revocation once it is revoked. */
    expiresAt: integer("expires_at").notNull(),
    openedAt: integer("opened_at"),
    /** Of a setup link: the connection that it is for, or has made; null: none yet, and for other links. */
    connectionId: text("connection_id"),
    /** Of a setup link: whoever opens it shows a code that is mailed there; null: nobody need. */
    email: text(),
  },
  (t) => [
    uniqueIndex("portal_links_by_hash").on(t.hash),
    index("portal_links_by_tenant").on(t.tenantId, t.expiresAt),
    index("portal_links_by_maker").on(t.makerId),
  ],
);
