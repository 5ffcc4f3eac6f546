/** What one version of the code sends to D1, written down for the tests of upgrades to later ones. */

/**
 * A statement with its values, and how many rows it wrote; null where D1 did not say. D1 counts what triggers write,
 * too: that was taken off by hand where the replay said so.
 */
interface Sent {
  sql: string;
  params: unknown[];
  changes: number | null;
}

/** Statements that were sent together. */
type Step = Sent[];

export interface Recording {
  /** The newest migration of the version that was recorded. */
  migration: string;
  recordedAt: number;
  /** The address of the account, and one of its API keys. */
  email: string;
  apiKey: string;
  steps: Step[];
}

interface Prepared {
  statement: string;
  params: unknown[];
}

/** Starts recording each step that writes. Of the steps that only read, it records the first with each statement. */
export function recordSteps(database: D1Database): Step[] {
  const steps: Step[] = [];
  const known = new Set<string>();
  const add = (sent: Prepared[], results: (Partial<D1Result> | null)[]) => {
    const step = sent.map(({ statement: sql, params }, index) => {
      return { sql, params, changes: results[index]?.meta?.changes ?? null };
    });
    const isNew = step.some(({ sql }) => !known.has(sql));
    for (const { sql } of step) known.add(sql);
    if (isNew || step.some(({ changes }) => changes !== 0 && changes !== null)) steps.push(step);
  };
  const databases = Object.getPrototypeOf(database);
  const { batch } = databases;
  databases.batch = async function (statements: Prepared[]) {
    const results = await batch.call(this, statements);
    add(statements, results);
    return results;
  };
  const single = Object.getPrototypeOf(database.prepare(""));
  for (const name of ["run", "all", "first", "raw"]) {
    const original = single[name];
    single[name] = async function (...args: unknown[]) {
      const result = await original.apply(this, args);
      add([this], [result]);
      return result;
    };
  }
  return steps;
}

/** One line of JSON for each statement and each step, so that a diff is readable. */
export function writeRecording({ steps, ...rest }: Recording): string {
  const statements = [...new Set(steps.flat().map(({ sql }) => sql))];
  const short = steps.map((step) =>
    step.map(({ sql, ...sent }) => [statements.indexOf(sql), sent.params, sent.changes]),
  );
  const lines = (list: unknown[]) => `[\n${list.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`;
  return `{"about":${JSON.stringify(rest)},\n"statements":${lines(statements)},\n"steps":${lines(short)}}\n`;
}

export function readRecording(text: string): Recording {
  const { about, statements, steps } = JSON.parse(text) as {
    about: Omit<Recording, "steps">;
    statements: string[];
    steps: [number, unknown[], number | null][][];
  };
  const sent = ([index, params, changes]: [number, unknown[], number | null]) => {
    return { sql: statements[index] ?? "", params, changes };
  };
  return { ...about, steps: steps.map((step) => step.map(sent)) };
}

const MINUTE_MS = 60_000;

/**
 * The values for somebody else, `copy` minutes earlier: with other ids, times, hashes and addresses. Copy 0 is what was
 * recorded.
 */
function valuesFor(copy: number, params: unknown[]): unknown[] {
  if (copy === 0) return params;
  const older = (_id: string, high: string, low: string) => {
    const time = (Number.parseInt(high + low, 16) - copy * MINUTE_MS).toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}`;
  };
  const text = JSON.stringify(params)
    .replaceAll(/\b(01[0-9a-f]{6})-([0-9a-f]{4})(?=-7|")/g, older)
    .replaceAll(/\b1[78]\d{11}\b/g, (moment) => String(Number(moment) - copy * MINUTE_MS))
    .replaceAll(/\b([0-9a-f]{60})[0-9a-f]{4}\b/g, `$1${copy.toString(16).padStart(4, "0")}`)
    .replaceAll(/\buser-(\d)/g, `user-${copy}-$1`);
  return JSON.parse(text);
}

/**
 * A question that fails on purpose unless the caller of the recorded service is as it was remembered there. Here it is
 * only prepared, which fails where a column is gone.
 */
const asked = (sql: string): string =>
  sql.startsWith("INSERT INTO api_keys (id) SELECT NULL") ? `EXPLAIN ${sql}` : sql;

/**
 * Sends what was recorded again, in one transaction, with other values for each `copy`. Returns the statements that
 * wrote a different number of rows.
 */
export async function replay(database: D1Database, steps: readonly Step[], copy: number): Promise<string[]> {
  const sent = steps.flat();
  if (sent.length === 0) return [];
  // `meta.changes` counts what triggers write, too; `changes()` keeps its value during a read.
  const counted = database.prepare("SELECT changes() AS count");
  const results = await database.batch<{ count: number }>(
    sent.flatMap(({ sql, params }) => [database.prepare(asked(sql)).bind(...valuesFor(copy, params)), counted]),
  );
  return sent.flatMap(({ sql, changes }, index) => {
    const wrote = results[2 * index]?.meta.changes !== 0;
    const now = wrote ? results[2 * index + 1]?.results[0]?.count : 0;
    return changes !== null && now !== changes ? [`${now} instead of ${changes} rows: ${sql}`] : [];
  });
}
