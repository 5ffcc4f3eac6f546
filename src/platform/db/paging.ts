/** Paging through lists that one run may not finish. */
import { firstIdAt, timeOfId } from "./ids";

/** The first and the last id of a list. */
export interface Ends {
  first: string;
  last: string;
}

/** Reads the row of a query for the ends of a list; null for an empty one. */
export function endsOf([row]: readonly { [End in keyof Ends]: string | null }[]): Ends | null {
  return row && row.first !== null && row.last !== null ? { first: row.first, last: row.last } : null;
}

/**
 * Goes through a list in the order of its time-ordered ids, page by page: from a random place to its end, and then from
 * its beginning to that place. A run that is cut short therefore does not always leave out the same part. `ends` are
 * the first and the last id; `pageAfter` returns the items after an id, or none at the end.
 */
export async function* fromAnywhere<T>(
  ends: Ends,
  pageAfter: (id: string) => Promise<T[]>,
  idOf: (item: T) => string,
): AsyncGenerator<T[]> {
  const [firstMs, lastMs] = [timeOfId(ends.first), timeOfId(ends.last)];
  const start = firstIdAt(firstMs + Math.floor(Math.random() * (lastMs - firstMs + 1)));
  for (const { from, to } of [
    { from: start, to: null },
    { from: "", to: start },
  ]) {
    for (let after = from; ; ) {
      const page = await pageAfter(after);
      const last = page.at(-1);
      const wanted = to === null ? page : page.filter((item) => idOf(item) <= to);
      if (wanted.length > 0) yield wanted;
      if (last === undefined || wanted.length < page.length) break;
      after = idOf(last);
    }
  }
}
