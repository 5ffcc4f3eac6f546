/** A page of the people of a directory. */

import type { DirectoryCaller } from "../callers/caller";
import { cursorAfter } from "../protocol/cursor";
import { ScimError } from "../protocol/error";
import type { ScimFilter } from "../protocol/filter";
import type { AskedPage } from "../protocol/list";
import { isOfState, isSearch, MOST_SEARCHED } from "./filter-store";
import { countRecords, type ListedUsers, listRecords } from "./list-store";
import { parsedRecord, type RecordRow, type StoredRecord } from "./record-store";

/** What a list asks for. */
export interface AskedUsers {
  filter: ScimFilter;
  page: AskedPage;
  /** Where the page of a cursor begins; null: at the first. */
  after: string | null;
  withGroups: boolean;
}

/** The statements that read a page. With a cursor, one row more shows whether there is a next page. */
export function readsOfPage(connectionId: string, { filter, page, after, withGroups }: AskedUsers) {
  const { startIndex, count, cursor } = page;
  const listed: ListedUsers = {
    connectionId,
    filter,
    after,
    offset: cursor === null ? startIndex - 1 : 0,
    limit: count + Number(cursor !== null),
    withGroups,
  };
  const isCounted = filter.length > 0 && !isOfState(filter);
  return { page: listRecords(listed), counted: isCounted ? countRecords(connectionId, filter) : undefined };
}

/** The page that those have found. Throws 400 `tooMany` for a search that cannot look at all. */
export function pageOf(
  caller: DirectoryCaller,
  { filter, page }: AskedUsers,
  found: { page: RecordRow[]; counted: { count: number }[] },
  nowMs: number,
): { totalResults: number; users: StoredRecord[]; startIndex?: number; nextCursor?: string } {
  const totalResults = totalOf(caller, filter, found.counted);
  const hasCursor = page.cursor !== null;
  const shown = hasCursor ? found.page.slice(0, page.count) : found.page;
  const last = found.page.length > shown.length ? shown.at(-1) : undefined;
  return {
    totalResults,
    users: shown.map(parsedRecord),
    ...(hasCursor ? {} : { startIndex: page.startIndex }),
    ...(last && { nextCursor: cursorAfter(last.id, nowMs) }),
  };
}

function totalOf(
  { active, inactive, held }: DirectoryCaller,
  filter: ScimFilter,
  [counted]: { count: number }[],
): number {
  const all = active + inactive + held;
  if (isSearch(filter) && all > MOST_SEARCHED) throw tooMany();
  if (filter.length === 0) return all;
  if (isOfState(filter)) return filter[0]?.value === true ? active + held : inactive;
  const count = counted?.count ?? 0;
  if (count > MOST_SEARCHED) throw tooMany();
  return count;
}

const tooMany = () =>
  new ScimError(400, `The filter looks at more than ${MOST_SEARCHED} resources. Filter by userName.`, "tooMany");
