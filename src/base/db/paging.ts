/** Paging through lists that one run may not finish. */

/** The first and the last id of a list. */
export interface Ends {
  first: string;
  last: string;
}

/** Reads the row of a query for the ends of a list; null for an empty one. */
export function endsOf([row]: readonly { [End in keyof Ends]: string | null }[]): Ends | null {
  return row && row.first !== null && row.last !== null ? { first: row.first, last: row.last } : null;
}
