/** Pages of a list that is ordered by a time and an id. */

/** Where a page begins: after this row. */
export interface After {
  /** Unix ms. */
  at: number;
  id: string;
}

/** The first `limit` rows of `found`, which has one more if there is a next page, and where that begins. */
export function pageOf<Row, Item>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => After,
  view: (row: Row) => Item,
): { data: Item[]; nextCursor: string | null } {
  const last = found.length > limit ? found[limit - 1] : undefined;
  const position = last && positionOf(last);
  return {
    data: found.slice(0, limit).map(view),
    nextCursor: position ? `${position.at}_${position.id}` : null,
  };
}
