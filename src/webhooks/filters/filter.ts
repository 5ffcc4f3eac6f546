/** What a filter is once it is parsed: a tree of conditions. */

/** How a condition compares the values at its path. */
export const OPERATORS = [
  ...(["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte"] as const),
  ...(["$startsWith", "$endsWith", "$contains", "$exists"] as const),
] as const;

export type FilterOperator = (typeof OPERATORS)[number];

/** What a filter looks at. */
export interface Subject {
  type: string;
  payload: unknown;
}

/** A filter as the API has it. */
export type FilterObject = Readonly<Record<string, unknown>>;

interface At {
  /** Names from the subject on. */
  names: readonly string[];
}

export interface Condition extends At {
  kind: "condition";
  operator: FilterOperator;
  operand: unknown;
}

export interface Negation extends At {
  kind: "not";
  filter: Filter;
  /** What stands below `$not`. */
  source: FilterObject;
}

interface All {
  kind: "all";
  filters: readonly Filter[];
}

interface Any {
  kind: "any";
  filters: readonly Filter[];
}

export type Filter = Condition | Negation | All | Any;
