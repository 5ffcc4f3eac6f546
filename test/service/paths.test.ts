/** What comments and pages call a file or a folder is one. */
import { expect, test } from "vitest";

const code = import.meta.glob(["/src/**/*.{ts,tsx}", "/test/**/*.{ts,mjs}"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = import.meta.glob(["/src/docs/pages/**/*.md", "/README.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const others = import.meta.glob(["/src/**/*.{css,js,mjs}", "/.scripts/**/*.{ts,mjs}", "/.ci/*.ts", "/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const known = [...Object.keys(code), ...Object.keys(pages), ...Object.keys(others)];

/** A name with a folder or the extension of a source, such as `db/ids.ts`. */
const FILE = /(?<![\w/.:@*-])(?:\.{1,2}\/)*((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|md|mjs|css))\b/g;
/** Such as `webhooks/delivery/`. */
const FOLDER = /`((?:[a-z-]+\/)+)`/g;
/** Of a build, and examples. */
const ELSEWHERE = /^(dist\/|planted|postern-events)/;

const commentsOf = (text: string) => (text.match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g) ?? []).join("\n");

function stale(text: string): string[] {
  const files = [...text.matchAll(FILE)].map(([, file = ""]) => file);
  const folders = [...text.matchAll(FOLDER)].map(([, folder = ""]) => folder);
  return [
    ...files.filter((file) => !known.some((path) => path.endsWith(`/${file}`))),
    ...folders.filter((folder) => !known.some((path) => path.includes(`/${folder}`))),
  ].filter((path) => !ELSEWHERE.test(path));
}

test("no comment names a file or a folder that does not exist", () => {
  const found = Object.entries(code).flatMap(([path, text]) =>
    stale(commentsOf(text)).map((named) => `${path}: ${named}`),
  );
  expect(found).toEqual([]);
});

test("no page names a file or a folder that does not exist", () => {
  const found = Object.entries(pages).flatMap(([path, text]) => stale(text).map((named) => `${path}: ${named}`));
  expect(found).toEqual([]);
});

test("planted names of files and folders that are gone are found", () => {
  expect(stale("See gone/stages.ts and `episodes/`, not base/log/log.ts or `webhooks/delivery/`.")).toEqual([
    "gone/stages.ts",
    "episodes/",
  ]);
});
