/** Portal links and tokens in D1, stored as SHA-256. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn, Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { PortalMakerKind, PortalTheme } from "../../base/schemas/portal-schemas";
import type { Permission } from "../../base/schemas/roles";
import { auditIfChanged } from "../../tenancy/audit/record-store";

/** Times are Unix ms. */
export interface PortalLinkRow {
  id: string;
  kind: "link" | "token";
  permissions: Permission[];
  theme: PortalTheme | null;
  returnUrl: string | null;
  createdAt: number;
  expiresAt: number;
  openedAt: number | null;
}

/** Who makes a link, and with which token. */
export interface Making {
  hash: string;
  maker: Maker;
}

export interface Maker {
  kind: PortalMakerKind;
  id: string;
}

type PortalAction = AuditAction & `portal.${string}`;

const recorded = (tenantId: string, action: PortalAction, actor: Actor, id: string) => ({
  tenantId,
  action,
  actor,
  target: { kind: "portal-link", id } as const,
});

/** Stores a new link or token. Returns false when the tenant has the maximum number of those that have not ended. */
export async function insertPortalLink(
  { db, config }: Deps,
  { tenantId, actor }: ActingIn,
  row: PortalLinkRow,
  { hash, maker }: Making,
): Promise<boolean> {
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO portal_links (id, tenant_id, kind, hash, maker_kind, maker_id, permissions, theme,
        return_url, created_at, expires_at)
      SELECT ${row.id}, ${tenantId}, ${row.kind}, ${hash}, ${maker.kind}, ${maker.id}, ${jsonList(row.permissions)},
        ${row.theme && JSON.stringify(row.theme)}, ${row.returnUrl}, ${row.createdAt}, ${row.expiresAt}
      WHERE (SELECT count(*) FROM portal_links WHERE tenant_id = ${tenantId} AND expires_at > ${row.createdAt})
        < ${config.caps.portalLinks}
      RETURNING id`,
    recorded: auditIfChanged({
      ...recorded(tenantId, "portal.link_created", actor, row.id),
      meta: { kind: row.kind, permissions: row.permissions },
    }),
  });
  return inserted.length === 1;
}

/** Which links somebody sees: those that they made, or with `maker` null all of the tenant. */
export interface SeenLinks {
  tenantId: string;
  maker: Maker | null;
}

const seen = ({ tenantId, maker }: SeenLinks, nowMs: number): SQL =>
  sql`tenant_id = ${tenantId} AND expires_at > ${nowMs}
    AND ${maker === null ? sql`true` : sql`maker_kind = ${maker.kind} AND maker_id = ${maker.id}`}`;

type StoredLink = Omit<PortalLinkRow, "permissions" | "theme"> & { permissions: string; theme: string | null };

/** The links and tokens that have not ended, newest first. */
export async function listPortalLinks({ db }: Deps, links: SeenLinks, nowMs: number): Promise<PortalLinkRow[]> {
  const found = await query<StoredLink>(db)`SELECT id, kind, permissions, theme, return_url AS returnUrl, created_at
    AS createdAt, expires_at AS expiresAt, opened_at AS openedAt
    FROM portal_links WHERE ${seen(links, nowMs)} ORDER BY id DESC`;
  return found.map((row) => ({ ...row, permissions: JSON.parse(row.permissions), theme: parsedTheme(row.theme) }));
}

export const parsedTheme = (json: string | null): PortalTheme | null => json && JSON.parse(json);

/** Ends a link or token at once, and its session. Returns false when there is no such one that has not ended. */
export async function revokePortalLinkOf(
  { db }: Deps,
  links: SeenLinks,
  { id, actor }: { id: string; actor: Actor },
  nowMs: number,
): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: sql`UPDATE portal_links SET expires_at = ${nowMs} WHERE id = ${id} AND ${seen(links, nowMs)}
      RETURNING id`,
    recorded: auditIfChanged(recorded(links.tenantId, "portal.link_revoked", actor, id)),
  });
  return revoked.length === 1;
}

/**
 * Uses a link that works: of several parallel uses, one returns true. `sessionHash` is the hash of the secret that
 * opens its pages from now on.
 */
export async function openPortalLinkOf(
  { db }: Deps,
  { tenantId, id, actor }: { tenantId: string; id: string; actor: Actor },
  sessionHash: string,
  nowMs: number,
): Promise<boolean> {
  const { opened } = await atomically(db, {
    opened: sql`UPDATE portal_links SET opened_at = ${nowMs}, session_hash = ${sessionHash} WHERE id = ${id}
      AND tenant_id = ${tenantId} AND kind = 'link' AND opened_at IS NULL AND expires_at > ${nowMs} RETURNING id`,
    recorded: auditIfChanged(recorded(tenantId, "portal.link_opened", actor, id)),
  });
  return opened.length === 1;
}
