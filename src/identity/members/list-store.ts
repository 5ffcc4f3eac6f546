/** Members of a tenant in D1, page by page: a page reads no more of 100,000 than of 100. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Role } from "../../base/schemas/roles";
import { type After, cursorOf } from "../../base/schemas/time-page-schemas";

/** A member. `joinedAt` is in Unix ms. */
export interface MemberRow {
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  joinedAt: number;
}

/** How many members a page of a search looks through. */
const EXAMINED = 5_000;

const COLUMNS = sql`u.id AS userId, u.email, u.name, m.role, m.created_at AS joinedAt`;
const ORDER = sql`ORDER BY m.created_at, m.user_id`;

const membersAfter = (tenantId: string, { at, id }: After = { at: -1, id: "" }): SQL =>
  sql`memberships m WHERE m.tenant_id = ${tenantId} AND (m.created_at, m.user_id) > (${at}, ${id})`;

interface PageWanted {
  limit: number;
  cursor?: After | undefined;
  /** Part of a name or an address. */
  q?: string | undefined;
}

interface MemberPage {
  rows: MemberRow[];
  nextCursor: string | null;
}

/** A page of the members of a tenant, oldest first. */
export async function listMembers(deps: Deps, tenantId: string, wanted: PageWanted): Promise<MemberPage> {
  const { limit, cursor, q = "" } = wanted;
  if (q !== "") return searchMembers(deps, tenantId, { limit, cursor, q });
  const found = await query<MemberRow>(deps.db)`SELECT ${COLUMNS}
    FROM (SELECT * FROM ${membersAfter(tenantId, cursor)} ${ORDER} LIMIT ${limit + 1}) m
      CROSS JOIN users u ON u.id = m.user_id ${ORDER}`;
  return pageOf(found, limit, null);
}

/** Those whose name or address has `q`, among the next `EXAMINED`; a whole address is looked up instead. */
async function searchMembers(deps: Deps, tenantId: string, { limit, cursor, q }: PageWanted & { q: string }) {
  const known = q.includes("@") ? await findMember(deps, tenantId, sql`u.email = ${q.toLowerCase()}`) : undefined;
  if (known) return { rows: cursor ? [] : [known], nextCursor: null };
  const { found, end } = await atomically(deps.db, {
    found: rows<MemberRow>(sql`SELECT ${COLUMNS}
      FROM (SELECT * FROM ${membersAfter(tenantId, cursor)} ${ORDER} LIMIT ${EXAMINED}) m
        CROSS JOIN users u ON u.id = m.user_id
      WHERE instr(lower(u.email || ' ' || coalesce(u.name, '')), ${q.toLowerCase()}) > 0
      ${ORDER} LIMIT ${limit + 1}`),
    // Of the last one that was examined, if more follow.
    end: rows<After>(sql`SELECT m.created_at AS at, m.user_id AS id FROM ${membersAfter(tenantId, cursor)}
      ${ORDER} LIMIT 1 OFFSET ${EXAMINED - 1}`),
  });
  return pageOf(found, limit, end[0] ?? null);
}

function pageOf(found: readonly MemberRow[], limit: number, end: After | null): MemberPage {
  const last = found.length > limit ? found[limit - 1] : undefined;
  const next = last ? { at: last.joinedAt, id: last.userId } : end;
  return { rows: found.slice(0, limit), nextCursor: next && cursorOf(next) };
}

/** The member for whom `condition` holds, a condition on the unique columns of `users u`. */
const findMember = ({ db }: Deps, tenantId: string, condition: SQL): Promise<MemberRow | undefined> =>
  queryFirst<MemberRow>(db)`SELECT ${COLUMNS} FROM users u CROSS JOIN memberships m
    ON m.tenant_id = ${tenantId} AND m.user_id = u.id WHERE ${condition}`;

/** A member by the id of the user; undefined for somebody else. */
export const findMemberById = (deps: Deps, tenantId: string, userId: string): Promise<MemberRow | undefined> =>
  findMember(deps, tenantId, sql`u.id = ${userId}`);
