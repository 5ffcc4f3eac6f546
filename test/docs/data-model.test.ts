/** The page of the data model has every table, and says where to look for statements. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { markdown, pageOf, sources } from "../support/docs";

test("the page has every table of the database, each with what its rows are", async () => {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'd1_*' AND name NOT GLOB '*[_]cf_*'",
  ).all<{ name: string }>();
  const html = await pageOf("data-model");
  const rows = [...html.matchAll(/<td><a id="(\w+)"><\/a><code>\1<\/code><\/td>\n<td>(.*)<\/td>/g)];
  expect(rows.map(([, name = ""]) => name).sort()).toEqual(results.map(({ name }) => name).sort());
  expect(rows.filter(([, , text = ""]) => !/^[A-Z].*\.$/.test(text)).map(([, name]) => name)).toEqual([]);
});

test("the page names each file in which a table is a variable", () => {
  const page = markdown["../../src/docs/pages/data-model.md"] ?? "";
  const files = Object.entries(sources)
    .filter(([, text]) => /sql\.(raw|identifier)\(table\)/.test(text))
    .map(([path]) => path.replace("../../", ""));
  const named = [...page.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(named.sort()).toEqual(files.sort());
});
