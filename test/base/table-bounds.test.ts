/** Every table has a bound, and a test that reaches it. */
import { env } from "cloudflare:workers";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import type { BoundedTable } from "../../src/base/bounds/bound";
import { TABLE_BOUNDS } from "../../src/base/bounds/tables";
import { SETTINGS } from "../../src/base/config/config";
import { BUDGETS, RULES } from "../../src/base/limits/rules";
import { JOBS } from "../../src/upkeep";
import { COUNTED_TABLES } from "../../src/webhooks/stats/counted-tables";

const modules: Record<string, object> = import.meta.glob("../../src/base/tables/*.ts", { eager: true });
const tests = import.meta.glob("/test/**/*.test.ts", { query: "?raw", import: "default", eager: true });

const bounded = Object.entries(TABLE_BOUNDS).filter((entry): entry is [string, BoundedTable] => !("why" in entry[1]));

test("the list has every table of the schema and of the database, and no other", async () => {
  const declared = Object.values(modules)
    .flatMap((module) => Object.values(module))
    .filter((value) => is(value, SQLiteTable))
    .map((table) => getTableName(table));
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'd1_*' AND name NOT GLOB '*[_]cf_*'",
  ).all<{ name: string }>();
  const listed = Object.keys(TABLE_BOUNDS).sort();
  expect(listed).toEqual(declared.sort());
  expect(listed).toEqual(results.map(({ name }) => name).sort());
});

test("each bound has a test that reaches it", () => {
  const missing = bounded.filter(([, bound]) => {
    const [file = "", name = ""] = bound.test.split(" > ");
    return name === "" || !tests[`/test/${file}`]?.includes(name);
  });
  expect(missing.map(([table, bound]) => [table, bound.test])).toEqual([]);
});

test("what counts towards the storage of a tenant is what the hourly job counts", () => {
  const counted = bounded.filter(([, { isCounted }]) => isCounted).map(([table]) => table);
  // The job adds the last three for those who store the most.
  const inJob = [...COUNTED_TABLES.map(({ table }) => table), "portal_links", "sources", "source_errors"];
  expect(counted.sort()).toEqual(inJob.sort());
});

test("the settings, limits, jobs and tables that it names exist", () => {
  const known = new Set([
    ...SETTINGS.map(({ name }) => name),
    ...Object.keys(RULES),
    ...Object.values(BUDGETS).map(({ variable }) => variable),
    ...Object.keys(JOBS),
    ...Object.keys(TABLE_BOUNDS),
  ]);
  const texts = Object.values(TABLE_BOUNDS).flatMap((bound) =>
    "why" in bound ? [bound.why] : [bound.rows, bound.bytes, bound.ends],
  );
  const named = texts.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
