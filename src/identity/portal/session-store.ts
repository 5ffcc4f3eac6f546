/** A portal link with what its maker may still do in its tenant, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { hasSignOn } from "../../base/config/sign-on-settings";
import { jsonList, prepared } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Permission } from "../../base/schemas/roles";
import { STANDING_COLUMNS, type StandingRow } from "../../tenancy/tenants/standing-store";
import { isKeyLive } from "../api-keys/store";
import { isPlatformKeyActive } from "../platform-keys/store";
import { SECOND_FACTOR_OF_MAKER_DUE } from "../tokens/due-store";
import { isMakerRefused } from "../tokens/sign-on-due-store";
import { type LinkMaker, permissionsOfMaker } from "./maker";
import { parsedTheme } from "./store";

/** `link` and `token` are of portals. */
export type LinkKind = "link" | "token" | "setup";

/** A link as it is stored, with what decides what its maker may do. Times are Unix ms. */
export interface FoundLink extends StandingRow, Omit<LinkMaker, "owesSignOn"> {
  isRefused: 0 | 1;
  id: string;
  /** JSON; of a setup link, what it is for. */
  permissions: string;
  theme: string | null;
  returnUrl: string | null;
  expiresAt: number;
  openedAt: number | null;
  tenantName: string;
  /** See the table. */
  connectionId: string | null;
  email: string | null;
}

const nowMs = sql.placeholder("nowMs");

const linkWhere = (condition: SQL) =>
  prepared<FoundLink>(sql`
  SELECT p.id, p.permissions, p.theme, p.return_url AS returnUrl, p.expires_at AS expiresAt, p.opened_at AS openedAt,
    t.name AS tenantName, p.connection_id AS connectionId, p.email, p.maker_kind AS makerKind,
    m.role, u.suspended_at IS NOT NULL AS isSuspended,
    coalesce(${SECOND_FACTOR_OF_MAKER_DUE} <= ${nowMs}, 0) AS owesFactor,
    ${isMakerRefused(sql`${nowMs}`, sql`${sql.placeholder("operators")}`)} AS isRefused,
    k.owner AS keyOwner, k.scopes AS keyScopes, coalesce(${isKeyLive(nowMs)}, 0) AS isKeyLive,
    (SELECT k.scopes FROM platform_keys k WHERE p.maker_kind = 'platform-key' AND k.id = p.maker_id
      AND ${isPlatformKeyActive(nowMs)}
      AND (k.tenants IS NULL OR p.tenant_id IN (SELECT value FROM json_each(k.tenants)))) AS platformScopes,
    ${STANDING_COLUMNS}
  FROM portal_links p JOIN tenants t ON t.id = p.tenant_id
    LEFT JOIN api_keys k ON p.maker_kind = 'api-key' AND k.id = p.maker_id
    LEFT JOIN users u ON u.id = iif(p.maker_kind = 'user', p.maker_id, k.user_id)
    LEFT JOIN memberships m ON m.tenant_id = p.tenant_id AND m.user_id = u.id
  WHERE ${condition} AND p.expires_at > ${nowMs}`);

const byHash = linkWhere(sql`p.hash = ${sql.placeholder("hash")} AND p.kind = ${sql.placeholder("kind")}`);

const bySession = linkWhere(
  sql`p.id = ${sql.placeholder("id")} AND p.session_hash = ${sql.placeholder("hash")}
    AND p.kind = ${sql.placeholder("kind")}`,
);

const byId = linkWhere(
  sql`p.id = ${sql.placeholder("id")} AND p.tenant_id = ${sql.placeholder("tenantId")} AND p.kind <> 'setup'
    AND t.suspended_at IS NULL`,
);

/** A link with what decides what it may do. Times are Unix ms. */
export type LiveLink = ReturnType<typeof liveLink>;

/** The link or token with this hash that has not ended. Looks across tenants: the hash determines the tenant. */
export async function readByHash(deps: Deps, kind: LinkKind, hash: string): Promise<FoundLink | null> {
  return (await byHash(deps.db, { kind, hash, ...present(deps) }))[0] ?? null;
}

/** The opened link of a session that has not ended. Looks across tenants: the link determines the tenant. */
export async function readBySession(
  deps: Deps,
  session: { kind: LinkKind; id: string; hash: string },
): Promise<FoundLink | null> {
  return (await bySession(deps.db, { ...session, ...present(deps) }))[0] ?? null;
}

/** As `readByHash`, for a link or token of a portal. */
export async function findByHash(deps: Deps, kind: "link" | "token", hash: string): Promise<LiveLink | null> {
  const row = await readByHash(deps, kind, hash);
  return row && liveLink(deps, row);
}

/** The link or token with this id that has not ended, in a tenant that is not suspended. */
export async function findLiveLink(deps: Deps, tenantId: string, id: string) {
  const [row] = await byId(deps.db, { id, tenantId, ...present(deps) });
  return row ? liveLink(deps, row) : null;
}

/** What each of the queries asks besides the link. */
const present = ({ config, now }: Deps) => ({ nowMs: now(), operators: jsonList(config.operators) });

/** Who made the link, with what the settings decide of them. */
export const makerOf = ({ config }: Pick<Deps, "config">, row: FoundLink): LinkMaker => ({
  ...row,
  owesSignOn: row.isRefused === 1 && hasSignOn(config),
});

/** The link with those of its permissions that its maker still has. */
export function liveLink(deps: Deps, row: FoundLink) {
  const ofMaker = permissionsOfMaker(makerOf(deps, row));
  const permissions = (JSON.parse(row.permissions) as Permission[]).filter((permission) => ofMaker.has(permission));
  return { ...row, theme: parsedTheme(row.theme), permissions: new Set(permissions) };
}
