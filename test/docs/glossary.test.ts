/** The glossary and the folders of src know each other. */
import { expect, test } from "vitest";
import { markdown } from "../support/docs";

const glossary = markdown["../../src/docs/pages/glossary.md"] ?? "";
const [, list = ""] = (markdown["../../src/docs/pages/change-the-code.md"] ?? "").split("\n## Folders\n");

/** The rows of two cells in the tables of a text. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| (?!Term |Folder |-)(.+?) +\| (.+?) +\|$/gm)].map(([, key = "", value = ""]) => [key, value]);

const folders = new Set(
  Object.keys(import.meta.glob("/src/*/*/**/*.{ts,tsx,md,css}")).map((path) => path.split("/").slice(2, 4).join("/")),
);
const sections = glossary.split("\n## ").slice(1).map(rowsOf);
const terms = sections.flat().map(([term = ""]) => term);
const listed = rowsOf(list).map(([folder = "", about = ""]) => ({ folder: folder.replaceAll("`", ""), about }));

/** The letters alone, so that a hyphen or a space makes no difference. */
const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
const known = new Set(terms.map(letters));
/** Whether the folder has the name of a term, or of several of its things. */
const isTerm = (folder: string) => {
  const name = letters(folder.split("/")[1] ?? "");
  return [name, name.replace(/s$/, ""), name.replace(/ies$/, "y")].some((form) => known.has(form));
};

test("each second-level folder of src has the name of a term, or is listed with one", () => {
  expect(folders.size).toBeGreaterThan(40);
  const unnamed = [...folders].filter((folder) => !isTerm(folder)).sort();
  expect(unnamed.length).toBeGreaterThan(20);
  expect(listed.map(({ folder }) => folder)).toEqual(unnamed);
  expect(listed.filter(({ about }) => !terms.includes(about))).toEqual([]);
});

test("a term has one entry", () => {
  expect(new Set(terms).size).toBe(terms.length);
});

test("the entries of a section are in alphabetical order, each of one sentence", () => {
  for (const section of sections) {
    const names = section.map(([term = ""]) => term.toLowerCase());
    expect(names).toEqual(names.toSorted());
  }
  const unlike = sections.flat().filter(([, meaning = ""]) => !/^[A-Z].*\.$/.test(meaning) || meaning.includes(". "));
  expect(unlike).toEqual([]);
});
