/**
 * Counts what D1 reports for each call: rows read and written, with the rows of indexes, and the size of the database.
 */

import type { Cost } from "./report";

export interface Meter {
  /** The calls that follow are added to this name. */
  phase: string;
  readonly costs: Record<string, Cost>;
  /** Rows written by the last call. */
  lastRowsWritten: number;
  sizeBytes: number;
}

export const createMeter = (): Meter => ({ phase: "", costs: {}, lastRowsWritten: 0, sizeBytes: 0 });

/** Wraps a database. The store functions call `batch` alone. */
export function metered(database: D1Database, meter: Meter): D1Database {
  return {
    prepare: (query: string) => database.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await database.batch(statements);
      const cost = meter.costs[meter.phase] ?? { calls: 0, rowsRead: 0, rowsWritten: 0 };
      meter.costs[meter.phase] = cost;
      cost.calls += 1;
      meter.lastRowsWritten = 0;
      for (const { meta } of results) {
        cost.rowsRead += meta.rows_read;
        cost.rowsWritten += meta.rows_written;
        meter.lastRowsWritten += meta.rows_written;
        meter.sizeBytes = meta.size_after;
      }
      return results;
    },
  } as D1Database;
}
