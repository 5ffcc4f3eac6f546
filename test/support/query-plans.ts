/** Every statement that the stores send, and how SQLite would find its rows. */

import { getTableName } from "drizzle-orm";
import * as delivery from "../../src/db/delivery-schema";
import * as control from "../../src/db/schema";

/** A statement that may read a whole table or index, and why that is right. */
interface Exception {
  statement: RegExp;
  /** The step of the plan that is allowed: "SCAN tenants". */
  step: RegExp;
  reason: string;
}

/** Every table grows, so a request finds its rows by a key. What runs once an hour may read a short-lived table. */
const EXCEPTIONS: Exception[] = [
  {
    statement: /DELETE FROM idempotency_keys/,
    step: /SCAN idempotency_keys/,
    reason: "once an hour; an index on time would cost a written row for each key",
  },
  {
    statement: /DELETE FROM manual_retries/,
    step: /SCAN manual_retries/,
    reason: "once an hour; the table holds what operators have retried by hand",
  },
  {
    statement: /DELETE FROM events/,
    step: /SCAN outbox/,
    reason: "once an hour; the outbox holds unfinished work only, and an event that is still owed must stay",
  },
];

const statements = new Set<string>();
/** Stores reach D1 through it alone; a statement of a test does not pass it. */
const DOOR = "src/db/client.ts";

/** Collects what is prepared from now on in this isolate: by requests, queue consumers, cron and RPC alike. */
export function collectStatements(database: D1Database): void {
  const prototype: D1Database = Object.getPrototypeOf(database);
  const prepare = prototype.prepare;
  prototype.prepare = function (query) {
    if (!statements.has(query) && new Error().stack?.includes(DOOR)) statements.add(query);
    return prepare.call(this, query);
  };
}

export const collected = (): string[] => [...statements];

/** The plan of each statement: SQLite's own words, a line a step. */
async function explain(database: D1Database, queries: readonly string[]): Promise<string[][]> {
  const explained = queries.map((query) => {
    const unbound = Array.from(query.matchAll(/\?/g), () => null);
    return database.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...unbound);
  });
  const results = await database.batch<{ detail: string }>(explained);
  return results.map(({ results: steps }) => steps.map(({ detail }) => detail));
}

/** The steps that read a whole table or index. What the statement itself has made, and `json_each`, are no tables. */
function fullScans(plan: readonly string[]): string[] {
  const made = new Set(plan.flatMap((step) => step.match(/^(?:MATERIALIZE|CO-ROUTINE) (\S+)/)?.[1] ?? []));
  return plan.filter((step) => {
    const [, table = ""] = step.match(/^SCAN (\S+)/) ?? step.match(/^SEARCH (\S+) USING AUTOMATIC/) ?? [];
    return table !== "" && table !== "CONSTANT" && !step.includes("VIRTUAL TABLE") && !made.has(table);
  });
}

/** Statements with a full scan that no exception allows, each with its plan. */
export async function badPlans(
  database: D1Database,
  queries: readonly string[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): Promise<string[]> {
  if (queries.length === 0) return [];
  const plans = await explain(database, queries);
  return queries.flatMap((query, index) => {
    const plan = plans[index] ?? [];
    const bad = fullScans(plan).filter(
      (step) => !exceptions.some((exception) => exception.statement.test(query) && exception.step.test(step)),
    );
    return bad.length === 0 ? [] : [`${bad.join(", ")}\n${query}\n${plan.join("\n")}`];
  });
}

const planeOf = new Map<string, "control" | "delivery">();
for (const [plane, schema] of Object.entries({ control, delivery } as const)) {
  for (const table of Object.values(schema)) planeOf.set(getTableName(table), plane as "control" | "delivery");
}

/** Statements that name tables of both planes: nothing may join them, because a tenant's delivery plane may be another database. */
export function statementsAcrossPlanes(queries: readonly string[]): string[] {
  return queries.filter((query) => {
    const tables = [...query.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+[`"]?(\w+)/gi)].map(([, table = ""]) => table);
    return new Set(tables.flatMap((table) => planeOf.get(table) ?? [])).size > 1;
  });
}
