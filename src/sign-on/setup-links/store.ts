/** Setup links in D1. They are stored beside the links of portals, and end with their makers' access as these do. */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { PortalTheme, SetupTask } from "../../base/schemas/portal-schemas";
import { forgetEnded, parsedTheme } from "../../identity/portal/store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import type { ConnectionChanger } from "../connections/store";

/** Times are Unix ms. */
export interface SetupLinkRow {
  id: string;
  may: SetupTask[];
  connectionId: string | null;
  email: string | null;
  theme: PortalTheme | null;
  returnUrl: string | null;
  createdAt: number;
  expiresAt: number;
  openedAt: number | null;
}

export interface SetupLinkMaker {
  kind: "user" | "platform-key";
  id: string;
}

/** Inserts a link, unless the tenant has `most` that have not ended. Returns whether it has. */
export async function insertSetupLink(
  { db }: Deps,
  changer: ConnectionChanger,
  row: SetupLinkRow,
  { hash, maker, most }: { hash: string; maker: SetupLinkMaker; most: number },
): Promise<boolean> {
  const { tenantId } = changer;
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO portal_links (id, tenant_id, kind, hash, maker_kind, maker_id, permissions, connection_id,
        email, theme, return_url, created_at, expires_at)
      SELECT ${row.id}, ${tenantId}, 'setup', ${hash}, ${maker.kind}, ${maker.id}, ${JSON.stringify(row.may)},
        ${row.connectionId}, ${row.email}, ${row.theme && JSON.stringify(row.theme)}, ${row.returnUrl},
        ${row.createdAt}, ${row.expiresAt}
      WHERE (SELECT count(*) FROM portal_links WHERE tenant_id = ${tenantId} AND kind = 'setup'
        AND expires_at > ${row.createdAt}) < ${most} RETURNING id`,
    recorded: changer
      .eventsOf({ action: "setup.link_created", target: targetOf(row.id), meta: { may: row.may } })
      .map(auditIfChanged),
    forgotten: forgetEnded(tenantId, row.createdAt),
  });
  return inserted.length === 1;
}

const targetOf = (id: string) => ({ kind: "setup-link", id }) as const;

type StoredSetupLink = Omit<SetupLinkRow, "may" | "theme"> & { may: string; theme: string | null };

/** The tenant's links that have not ended, newest first. */
export async function listSetupLinks({ db }: Deps, tenantId: string, nowMs: number): Promise<SetupLinkRow[]> {
  const found = await query<StoredSetupLink>(db)`SELECT id, permissions AS may, connection_id AS connectionId, email,
      theme, return_url AS returnUrl, created_at AS createdAt, expires_at AS expiresAt, opened_at AS openedAt
    FROM portal_links WHERE tenant_id = ${tenantId} AND kind = 'setup' AND expires_at > ${nowMs} ORDER BY id DESC`;
  return found.map((row) => ({ ...row, may: JSON.parse(row.may), theme: parsedTheme(row.theme) }));
}

/** Ends a link at once, and its session. Returns false when the tenant has no such one that has not ended. */
export async function endSetupLink(
  { db }: Deps,
  changer: ConnectionChanger,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: rows<{ id: string }>(sql`UPDATE portal_links SET expires_at = ${nowMs} WHERE id = ${id}
      AND tenant_id = ${changer.tenantId} AND kind = 'setup' AND expires_at > ${nowMs} RETURNING id`),
    recorded: changer.eventsOf({ action: "setup.link_revoked", target: targetOf(id) }).map(auditIfChanged),
  });
  return revoked.length === 1;
}
