/** The glossary and the folders of src know each other. */
import { expect, test } from "vitest";

const { "../../src/docs/pages/glossary.md": glossary = "" } = import.meta.glob("../../src/docs/pages/glossary.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const folders = new Set(
  Object.keys(import.meta.glob("/src/*/*/**/*.{ts,tsx,md,css}")).map((path) => path.split("/").slice(2, 4).join("/")),
);
const sections = glossary
  .split("\n## ")
  .slice(1)
  .map((section) =>
    [...section.matchAll(/^\| (?!Term |-)(.+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
      ([, term = "", where = "", meaning = ""]) => ({ term, where, meaning }),
    ),
  );
const entries = sections.flat();
const named = entries.flatMap(({ where }) => [...where.matchAll(/`([^`]+)`/g)].map(([, folder = ""]) => folder));

test("each second-level folder of src is named by an entry, and each named folder is there", () => {
  expect(folders.size).toBeGreaterThan(40);
  expect([...folders].filter((folder) => !named.includes(folder))).toEqual([]);
  expect(named.filter((folder) => !folders.has(folder))).toEqual([]);
});

test("each entry names its folders or says that it has none, and a term has one entry", () => {
  const isNamed = ({ where }: { where: string }) => /^(none|`[a-z-]+\/[a-z-]+`(, `[a-z-]+\/[a-z-]+`)*)$/.test(where);
  expect(entries.filter((entry) => !isNamed(entry))).toEqual([]);
  expect(new Set(entries.map(({ term }) => term)).size).toBe(entries.length);
});

test("the entries of a section are in alphabetical order, each of one sentence", () => {
  for (const section of sections) {
    const terms = section.map(({ term }) => term.toLowerCase());
    expect(terms).toEqual(terms.toSorted());
  }
  expect(entries.filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning) || meaning.includes(". "))).toEqual([]);
});
