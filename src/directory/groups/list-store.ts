/** A page of the groups of a directory, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { ScimError } from "../protocol/error";
import type { FilterTerm, ScimFilter } from "../protocol/filter";
import type { AskedPage } from "../protocol/list";
import { countGroups, type GroupRow, readGroups, shownMembers } from "./read-store";

/** How many groups a search by a part of the name looks at. */
const MOST_SEARCHED = 10_000;
/** How many members all groups of a page show together. */
const MAX_MEMBERS_OF_PAGE = 10_000;

/** What a list asks for. */
export interface AskedGroups {
  filter: ScimFilter;
  page: AskedPage;
  /** After this id; null: from the first. */
  after: string | null;
  withMembers: boolean;
}

/** The statements that read a page. With a cursor, one row more shows whether there is a next page. */
export function readsOfGroups(connectionId: string, { filter, page, after, withMembers }: AskedGroups) {
  const terms = filter.map((term) => predicate(connectionId, term));
  const condition = terms.length === 0 ? sql`true` : sql.join(terms, sql` AND `);
  const hasCursor = page.cursor !== null;
  const place = { limit: page.count + Number(hasCursor), offset: hasCursor ? 0 : page.startIndex - 1 };
  const from = after === null ? condition : sql`${condition} AND g.id > ${after}`;
  return {
    page: readGroups(connectionId, from, place, withMembers ? "ids" : "nothing"),
    counted: terms.length === 0 ? undefined : countGroups(connectionId, condition),
  };
}

/** A condition on the group `g`. */
function predicate(connectionId: string, { attribute, operator, value }: FilterTerm): SQL {
  switch (attribute) {
    case "id":
      return sql`g.id = ${String(value).toLowerCase()}`;
    case "externalId":
      // SQLite takes the primary key for as good as the index.
      return sql`g.id IN (SELECT x.id FROM directory_groups x INDEXED BY directory_groups_by_external_id
        WHERE x.connection_id = ${connectionId} AND x.external_id = ${value})`;
    case "displayName":
      return nameIs(operator, value === null ? null : String(value).toLowerCase());
    case "members.value":
      return sql`g.id IN (SELECT fm.group_id FROM directory_members fm WHERE fm.connection_id = ${connectionId}
        AND fm.person_id = ${String(value).toLowerCase()})`;
    case "meta.lastModified":
      return operator === "eq"
        ? sql`g.updated_at = ${value}`
        : sql`g.updated_at ${sql.raw(operator === "ge" ? ">=" : ">")} ${value}`;
    default:
      throw new ScimError(400, `${attribute} is no attribute of groups.`, "invalidFilter");
  }
}

function nameIs(operator: FilterTerm["operator"], name: string | null): SQL {
  if (operator === "eq") return sql`g.name_key = ${name}`;
  if (operator === "sw") return sql`substr(g.name_key, 1, length(${name})) = ${name}`;
  return operator === "co" ? sql`instr(g.name_key, ${name}) > 0` : sql`true`;
}

interface FoundGroups {
  page: GroupRow[];
  counted: { count: number }[];
}

/**
 * The page that those have found, of which the first groups show their members. `all`: how many groups there are.
 * Throws 400 `tooMany`.
 */
export function shownGroups({ filter, page }: AskedGroups, { page: rows, counted }: FoundGroups, all: number) {
  const totalResults = filter.length === 0 ? all : (counted[0]?.count ?? 0);
  if (totalResults > MOST_SEARCHED && filter.some(({ operator }) => operator === "co")) {
    throw new ScimError(400, `The filter finds more than ${MOST_SEARCHED} groups.`, "tooMany");
  }
  let shown = 0;
  const groups = rows.slice(0, page.count).map((row) => {
    shown += shownMembers(row)?.length ?? 0;
    return shown > MAX_MEMBERS_OF_PAGE ? { ...row, members: null } : row;
  });
  const last = rows.length > groups.length ? groups.at(-1) : undefined;
  return { totalResults, groups, lastId: last?.id };
}
