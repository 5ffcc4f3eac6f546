/** Tenants in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { Role } from "../../base/schemas/roles";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { STANDING_COLUMNS, type Standing, type StandingRow, standingOf } from "./standing-store";
import { parseTenantName, type TenantName } from "./tenant-name";

/** Returns the tenant with its shard and standing; undefined when there is none. */
export async function findTenant({ db }: Deps, tenantId: string): Promise<Standing | undefined> {
  const { found } = await atomically(db, { found: standing(sql`t.id = ${tenantId}`) });
  return found[0] && standingOf(found[0]);
}

const standing = (condition: SQL) =>
  rows<StandingRow>(sql`SELECT ${STANDING_COLUMNS} FROM tenants t WHERE ${condition}`);

/** The id of the tenant with this name, as an expression; null for none. The names are values or placeholders. */
export const idOfTenant = ({
  id,
  externalId,
}: { [Name in keyof TenantName]: TenantName[Name] | SQL | Placeholder }): SQL =>
  sql`coalesce(${id}, (SELECT x.id FROM tenants x WHERE x.external_id = ${externalId}))`;

type Placeholder = ReturnType<typeof sql.placeholder>;

/** The ids of the tenants that the product names so. Throws NOT_FOUND. */
export async function readTenantIds({ db }: Deps, names: readonly string[]): Promise<string[]> {
  const wanted = jsonList(names.map(parseTenantName));
  const listed = { id: sql`j.value ->> 'id'`, externalId: sql`j.value ->> 'externalId'` };
  const found = await query<{ id: string | null }>(db)`SELECT t.id FROM json_each(${wanted}) j
    LEFT JOIN tenants t ON t.id = ${idOfTenant(listed)}
      AND t.id <> ${PLATFORM_TENANT}`;
  return [
    ...new Set(
      found.map(({ id }) => {
        if (id === null) throw notFound("Tenant");
        return id;
      }),
    ),
  ];
}

/** The tenant that stands for the platform as a whole. It is made when it is first used. */
export async function platformTenant(deps: Deps): Promise<Standing> {
  const { db } = deps;
  const found = await findTenant(deps, PLATFORM_TENANT);
  if (found) return found;
  const nowMs = deps.now();
  const { made } = await atomically(db, {
    created: sql`INSERT OR IGNORE INTO tenants (id, name, shard, created_by, created_at, trusted_at)
      VALUES (${PLATFORM_TENANT}, 'Platform', 0, '', ${nowMs}, ${nowMs})`,
    made: standing(sql`t.id = ${PLATFORM_TENANT}`),
  });
  const [row] = made;
  if (!row) throw new Error("the tenant of the platform was not made");
  return standingOf(row);
}

export interface TenantOfUser {
  id: string;
  name: string;
  role: Role;
}

/** Returns the tenants that a user is a member of, the most recently used first; of `only` that one, unless null. */
export async function listTenantsOfUser(
  { db }: Deps,
  userId: string,
  only: string | null = null,
): Promise<TenantOfUser[]> {
  return query<TenantOfUser>(db)`SELECT t.id, t.name, m.role FROM memberships m JOIN tenants t ON t.id = m.tenant_id
    WHERE m.user_id = ${userId} AND (${only} IS NULL OR m.tenant_id = ${only})
    ORDER BY m.last_used_at DESC, m.created_at, t.id`;
}
