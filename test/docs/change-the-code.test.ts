/** The page for contributors names what the code has. */
import { describe, expect, test } from "vitest";
import { markdown, sources } from "../support/docs";

const page = markdown["../../src/docs/pages/change-the-code.md"] ?? "";
const sections = page
  .split("\n## ")
  .slice(1)
  .map((section) => {
    const [title = "", ...lines] = section.split("\n");
    return { title, text: lines.join("\n").trim() };
  });
const words = [...page.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
const tests = Object.keys(import.meta.glob("/test/**/*.ts"));
/** Tests whose own names the page has. */
const namedTests = import.meta.glob(["../identity/ways-inside.test.ts", "../support/sign-in-methods.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Each noun has its own. */
const OF_NOUNS = new Set(["api.ts", "routes.ts", "routes.tsx"]);

test("each kind of change has a section that says where to start", () => {
  const kinds = sections.filter(({ title }) => !["Before you begin", "Folders"].includes(title));
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter(({ text }) => !/^Start in (the noun's |the \[|`|[A-Z`_]+ of `)/.test(text))).toEqual([]);
});

test("names nothing that the code does not have", () => {
  const text = Object.values({ ...sources, ...namedTests }).join("\n");
  const settings = new Set(["SUITE_SECONDS"]);
  const names = words.filter((word) => /^[A-Za-z]\w+$/.test(word) && !settings.has(word));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test("means by a file without a folder one beside the file before it", () => {
  const files = new Set([sources, markdown].flatMap(Object.keys).map((path) => path.slice("../../".length)));
  for (const path of tests) files.add(path.slice(1));
  const missing: string[] = [];
  let folder = "";
  for (const word of words.filter((word) => /^[\w./-]+(\/|\.tsx?|\.md)$/.test(word) && !OF_NOUNS.has(word))) {
    const path = word.includes("/") ? word : `${folder}${word}`;
    folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (/^(src|test)\/.*[^/]$/.test(path) && !files.has(path)) missing.push(path);
  }
  expect(missing).toEqual([]);
});

describe("its section on what ends a session", () => {
  const { text = "" } = sections.find(({ title }) => title === "What ends a session") ?? {};

  test("names every file that ends one", () => {
    const ending = Object.entries(sources)
      .filter(([, source]) => /import \{[^}]*\bendSessions[^}]*\} from "[^"]*revocations-store"/.test(source))
      .map(([path]) => path.split("/").at(-1) ?? "");
    expect(ending.length).toBeGreaterThan(8);
    expect(ending.filter((file) => !text.includes(file))).toEqual([]);
  });

  test("is right that only one file deletes sessions", () => {
    const deleting = Object.entries(sources).filter(([, source]) => source.includes("DELETE FROM sessions"));
    expect(deleting.map(([path]) => path)).toEqual(["../../src/identity/tokens/revocations-store.ts"]);
  });
});
