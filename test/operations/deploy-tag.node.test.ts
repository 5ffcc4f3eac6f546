/** The tag by which a deployment knows that nothing has changed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FILES, FOLDERS, tagOfSources } from "../../.scripts/deploy/tag.ts";

const checkout = mkdtempSync(join(tmpdir(), "postern-tag-test-"));
const files = [...FOLDERS.map((folder) => `${folder}/below/one.ts`), ...FILES];

function write(file: string, text: string): void {
  mkdirSync(dirname(join(checkout, file)), { recursive: true });
  writeFileSync(join(checkout, file), text);
}

afterAll(() => rmSync(checkout, { recursive: true }));

test("the tag changes with each file that is deployed or makes what is deployed, and with nothing else", () => {
  for (const file of files) write(file, "before");
  const tag = tagOfSources(checkout);
  expect(tag).toMatch(/^[0-9a-f]{25}$/);
  write("README.md", "after");
  expect(tagOfSources(checkout)).toBe(tag);
  for (const file of files) {
    write(file, "after");
    expect([file, tagOfSources(checkout)]).not.toEqual([file, tag]);
    write(file, "before");
  }
  expect(tagOfSources(checkout)).toBe(tag);
});

test("the tag covers every script that the documentation is made by", () => {
  const scripts = readdirSync(".scripts/docs").map((name) => readFileSync(`.scripts/docs/${name}`, "utf8"));
  const imported = scripts.flatMap((text) =>
    [...text.matchAll(/from "\.\.\/([^"]+)"/g)].map(([, path]) => `.scripts/${path}`),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((path) => !FILES.includes(path))).toEqual([]);
});
