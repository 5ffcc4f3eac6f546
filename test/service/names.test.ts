/** Types, classes, components and constants have one meaning in the service: no two files export the same name. */
import { expect, test } from "vitest";

/** The npm package and the examples of the documentation are read on their own. */
const sources = import.meta.glob(["../../src/**/*.{ts,tsx}", "!../../src/sdk/**", "!../../src/docs/pages/**"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = Object.entries(sources).filter(([path]) => !path.endsWith(".d.ts"));

/** Names that mean the same in each file that exports them. */
const ALLOWED: ReadonlySet<string> = new Set([
  // The path of the section of the console that the folder is about.
  "HERE",
]);

/** Functions are left out: a verb is read with what it is given. */
const EXPORTED = /^export (?:async |abstract )*(?:type|interface|const|function|class) ([A-Z]\w*)/gm;

test("a type, class, component or constant is exported under its name by one file", () => {
  const exporters = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    for (const [, name = ""] of text.matchAll(EXPORTED)) {
      exporters.set(name, (exporters.get(name) ?? new Set()).add(path.replace("../../", "")));
    }
  }
  expect(exporters.size).toBeGreaterThan(500);
  const shared = [...exporters].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths]);
  expect(shared.filter(([name = ""]) => !ALLOWED.has(name))).toEqual([]);
  const names = shared.map(([name]) => name);
  expect([...ALLOWED].filter((name) => !names.includes(name))).toEqual([]);
});
