/** Pages of a list that is ordered by a time and an id. */
import * as z from "zod";

/** Where a page begins: after this row. */
export interface After {
  /** Unix ms. */
  at: number;
  id: string;
}

const CURSOR = /^(\d{1,15})_([\w-]{1,64})$/;

/** In a query: where a page begins. */
export const afterCursor = z
  .string()
  .regex(CURSOR, "Must be the nextCursor of the previous answer")
  .transform((text): After => {
    const [, at = "0", last = ""] = CURSOR.exec(text) ?? [];
    return { at: Number(at), id: last };
  })
  .optional()
  .meta({ description: "The `nextCursor` of the previous answer; opaque.", examples: ["1732550658000_0190a0a0"] });

export const cursorOf = ({ at, id }: After): string => `${at}_${id}`;

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
    nextCursor: position ? cursorOf(position) : null,
  };
}
