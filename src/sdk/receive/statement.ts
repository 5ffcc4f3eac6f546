/** SQL with the values of its placeholders. */
export interface Statement {
  sql: string;
  params: readonly Value[];
}

/** What SQLite stores and every one of its drivers takes. */
export type Value = string | number | null;
