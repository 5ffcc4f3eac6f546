/** Merging the pages of a log that is in two databases, because its tenant was moved. */
import { timeOfId } from "../../base/db/ids";
import { momentCursor } from "./log-store";

interface LogPage<Row> {
  /** Newest first. */
  rows: Row[];
  nextCursor: string | null;
}

/**
 * Returns one page, newest first, of at most `limit` attempts. It ends between two milliseconds, because the cursor of
 * the next page is a time: a database does not know when an attempt in another one started.
 */
export function mergeLogs<Row extends { id: string; attemptedAt: number }>(
  pages: readonly [LogPage<Row>, ...LogPage<Row>[]],
  limit: number,
): LogPage<Row> {
  if (pages.length === 1) return pages[0];
  const end = Math.max(-1, ...pages.map(lastReadMs));
  const complete = pages.flatMap(({ rows }) => rows).filter(({ attemptedAt }) => attemptedAt > end);
  const newestFirst = complete.sort((a, b) => b.attemptedAt - a.attemptedAt || (a.id < b.id ? 1 : -1));
  const next = newestFirst[limit];
  if (next === undefined) return { rows: newestFirst, nextCursor: end < 0 ? null : momentCursor(end + 1) };
  const rows = newestFirst.filter(({ attemptedAt }) => attemptedAt > next.attemptedAt);
  return { rows, nextCursor: momentCursor(next.attemptedAt + 1) };
}

/** The start (Unix ms) down to which a page may lack attempts; -1 for the last page, which lacks none. */
function lastReadMs<Row extends { id: string; attemptedAt: number }>({ rows, nextCursor }: LogPage<Row>): number {
  if (nextCursor === null) return -1;
  const last = rows.at(-1);
  return last?.id === nextCursor ? last.attemptedAt : timeOfId(nextCursor) - 1;
}
