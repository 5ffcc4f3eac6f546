/** Pages of lists (RFC 7644 section 3.4.2, RFC 9865). */
import { invalidValue, ScimError } from "./error";

export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 200;

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** The page that a request asks for. */
export interface AskedPage {
  /** From 1. */
  startIndex: number;
  /** 0 to 200. */
  count: number;
  /** An empty one asks for the first page by cursor; null: by index. */
  cursor: string | null;
}

/** A page below the first is the first, and a larger one has 200 (RFC 7644 section 3.4.2.4). */
export function askedPage(query: Readonly<Record<string, string | undefined>>): AskedPage {
  const { startIndex, count, cursor } = query;
  if (cursor !== undefined && startIndex !== undefined) {
    throw new ScimError(400, "Send either a cursor or a startIndex.", "invalidValue");
  }
  return {
    startIndex: Math.max(1, wholeNumber("startIndex", startIndex) ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, wholeNumber("count", count) ?? DEFAULT_COUNT)),
    cursor: cursor ?? null,
  };
}

function wholeNumber(name: string, sent: string | undefined): number | undefined {
  if (sent === undefined || sent === "") return undefined;
  if (!/^[+-]?\d{1,9}$/.test(sent)) throw invalidValue(`${name} must be a whole number.`);
  return Number(sent);
}

interface ListPage {
  totalResults: number;
  startIndex?: number;
  nextCursor?: string;
  resources: readonly object[];
}

export const listView = ({ totalResults, startIndex, nextCursor, resources }: ListPage) => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  itemsPerPage: resources.length,
  ...(startIndex === undefined ? {} : { startIndex }),
  ...(nextCursor === undefined ? {} : { nextCursor }),
  Resources: resources,
});
