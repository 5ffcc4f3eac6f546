/** Portal links and tokens in D1, stored as SHA-256. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, query, rows } from "../../base/db/client";
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

/** Who makes a link, and with which token. `userId` is the person behind the maker, or empty. */
export interface Making {
  hash: string;
  maker: Maker;
  userId: string;
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

/** How many links of a tenant that have ended are kept. Beyond this number, those that ended first are forgotten. */
export const MAX_ENDED = 1_000;
const FORGOTTEN_AT_ONCE = 100;

/**
 * Stores a new link or token, unless that exceeds a cap: then returns which. People share a cap of the tenant, and each
 * has one; so that nobody keeps the product from making links, those of platform keys are counted apart.
 */
export async function insertPortalLink(
  { db, config }: Deps,
  { tenantId, actor }: ActingIn,
  row: PortalLinkRow,
  { hash, maker, userId }: Making,
): Promise<"portalLinks" | "portalLinksOfUser" | null> {
  const { portalLinks, portalLinksOfUser } = config.caps;
  const isWorking = sql`tenant_id = ${tenantId} AND kind <> 'setup' AND expires_at > ${row.createdAt}`;
  const ofSharers = sql`(SELECT count(*) FROM portal_links WHERE ${isWorking}
    AND (maker_kind = 'platform-key') = ${Number(maker.kind === "platform-key")})`;
  const ofUser = sql`(SELECT count(*) FROM portal_links WHERE ${isWorking} AND ${userId} <> ''
    AND ((maker_kind = 'user' AND maker_id = ${userId}) OR (maker_kind = 'api-key'
      AND maker_id IN (SELECT id FROM api_keys WHERE tenant_id = ${tenantId} AND user_id = ${userId}))))`;
  const { counted, inserted } = await atomically(db, {
    counted: rows<{ ofUser: number }>(sql`SELECT ${ofUser} AS ofUser`),
    inserted: sql`INSERT INTO portal_links (id, tenant_id, kind, hash, maker_kind, maker_id, permissions, theme,
        return_url, created_at, expires_at)
      SELECT ${row.id}, ${tenantId}, ${row.kind}, ${hash}, ${maker.kind}, ${maker.id}, ${jsonList(row.permissions)},
        ${row.theme && JSON.stringify(row.theme)}, ${row.returnUrl}, ${row.createdAt}, ${row.expiresAt}
      WHERE ${ofSharers} < ${portalLinks} AND ${ofUser} < ${portalLinksOfUser}
      RETURNING id`,
    recorded: auditIfChanged({
      ...recorded(tenantId, "portal.link_created", actor, row.id),
      meta: { kind: row.kind, permissions: row.permissions },
    }),
    forgotten: forgetEnded(tenantId, row.createdAt),
  });
  if (inserted.length === 1) return null;
  return (counted[0]?.ofUser ?? 0) < portalLinksOfUser ? "portalLinks" : "portalLinksOfUser";
}

/** Forgets links that have ended beyond `MAX_ENDED`. */
export const forgetEnded = (tenantId: string, nowMs: number): SQL =>
  sql`DELETE FROM portal_links WHERE id IN (SELECT id FROM portal_links WHERE tenant_id = ${tenantId}
    AND expires_at <= ${nowMs} ORDER BY expires_at DESC LIMIT ${FORGOTTEN_AT_ONCE} OFFSET ${MAX_ENDED})`;

/** Which links somebody sees: those that they made, or with `maker` null all of the tenant. */
export interface SeenLinks {
  tenantId: string;
  maker: Maker | null;
}

const seen = ({ tenantId, maker }: SeenLinks, nowMs: number): SQL =>
  sql`tenant_id = ${tenantId} AND kind <> 'setup' AND expires_at > ${nowMs}
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

const OPENED = {
  link: { action: "portal.link_opened", target: "portal-link" },
  setup: { action: "setup.link_opened", target: "setup-link" },
} as const;

/**
 * Uses a link that works: of several parallel uses, one returns true. `sessionHash` is the hash of the secret that
 * opens its pages from now on.
 */
export async function openLinkOf(
  { db }: Deps,
  kind: keyof typeof OPENED,
  { tenantId, id, actor }: { tenantId: string; id: string; actor: Actor },
  sessionHash: string,
  nowMs: number,
): Promise<boolean> {
  const { action, target } = OPENED[kind];
  const { opened } = await atomically(db, {
    opened: sql`UPDATE portal_links SET opened_at = ${nowMs}, session_hash = ${sessionHash} WHERE id = ${id}
      AND tenant_id = ${tenantId} AND kind = ${kind} AND opened_at IS NULL AND expires_at > ${nowMs} RETURNING id`,
    recorded: auditIfChanged({ tenantId, action, actor, target: { kind: target, id } }),
  });
  return opened.length === 1;
}
