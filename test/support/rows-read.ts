/** D1 that notes how many rows each batch has read, as D1 bills them. */

interface Reading {
  database: D1Database;
  /** The rows of each batch. */
  rowsRead: number[];
}

export function reading(database: D1Database): Reading {
  const rowsRead: number[] = [];
  const proxy = {
    prepare: (text: string) => database.prepare(text),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await database.batch(statements);
      rowsRead.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0));
      return results;
    },
  };
  return { database: proxy as unknown as D1Database, rowsRead };
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
