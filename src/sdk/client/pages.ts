/** Lists that can be awaited and iterated. The service returns some as a whole, and others in pages. */

/** A list that comes as a whole: await it for an array, or iterate over it with `for await`. */
export interface Listed<Item> extends Promise<Item[]>, AsyncIterable<Item> {}

/** The list that a call returns. */
export function listed<Item>(list: Promise<Item[]>): Listed<Item> {
  async function* items(): AsyncGenerator<Item> {
    yield* await list;
  }
  return Object.assign(list, { [Symbol.asyncIterator]: items });
}

/** One page of a list. */
export interface Page<Item> {
  /** May be short, or empty, while there are more pages. */
  data: Item[];
  /** Leads to the next page; null on the last one. */
  nextCursor: string | null;
}

/**
 * A list: await it for one page, or iterate over it for all items. Iterating loads the next page when it is needed, and
 * throws what that call throws.
 *
 * @example
 * for await (const attempt of client.webhooks.logPage(id, { status: "failed" })) console.log(attempt.error);
 */
export interface Paged<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {}

/** A list that begins with the page at `cursor`; undefined is the first. The call is made at once. */
export function paged<Item>(
  load: (cursor: string | undefined) => Promise<Page<Item>>,
  cursor: string | undefined,
): Paged<Item> {
  const first = load(cursor);
  async function* items(): AsyncGenerator<Item> {
    for (let page = await first; ; page = await load(page.nextCursor)) {
      yield* page.data;
      if (page.nextCursor === null) return;
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}
