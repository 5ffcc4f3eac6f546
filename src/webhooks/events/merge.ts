/** Merging the pages of lists that are in two databases, because their tenant was moved. */

interface IdPage<Row> {
  /** The newest id first. */
  rows: Row[];
  nextCursor: string | null;
}

/** Returns one page of at most `limit` rows. It ends where the first of the given pages ends. */
export function mergePages<Row extends { id: string }>(pages: readonly IdPage<Row>[], limit: number): IdPage<Row> {
  const end =
    pages
      .flatMap(({ nextCursor }) => nextCursor ?? [])
      .sort()
      .at(-1) ?? null;
  const complete = pages.flatMap(({ rows }) => rows).filter(({ id }) => end === null || id >= end);
  const rows = complete.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  return { rows, nextCursor: complete.length > limit ? (rows.at(-1)?.id ?? null) : end };
}
