/** How a table is bounded. Words in backticks are settings, rate limits, jobs of the upkeep, or tables. */

/** Who can make a table grow. The product is a platform key. */
export type Grower = "stranger" | "person" | "tenant" | "product" | "operator";

/** A table that others than the service make grow. */
export interface BoundedTable {
  grower: readonly Grower[];
  /** At most how many rows, and what happens beyond that. */
  rows: string;
  /** What a row takes at most. */
  bytes: string;
  /** Whether its bytes count towards `TENANT_STORED_MIB`. */
  isCounted: boolean;
  /** What ends a row, and when. */
  ends: string;
  /** The test that reaches the bound: its file below `test/`, and its name. */
  test: `${string}.test.ts > ${string}`;
}

/** A table that only the service makes grow: why it stays small. */
export interface InternalTable {
  why: string;
}

export type TableBound = BoundedTable | InternalTable;
export type TableBounds = Readonly<Record<string, TableBound>>;

/** The test of what tenants keep as long as `TENANT_STORED_MIB` lets them. */
export const COUNTED_TEST = "webhooks/counted-tables.isolated.test.ts > a row of %s counts with its texts";
