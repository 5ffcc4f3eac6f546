/** The tag of the sources: by it, a deployment, the documentation and `npm run dev` know that nothing has changed. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { FILES, FOLDERS, tagOfSources } from "../../.scripts/deploy/tag.ts";
import { bundleOnce } from "../../.scripts/dev/bundle-once.ts";
import { makeDocs } from "../../.scripts/make-docs.ts";

const checkout = mkdtempSync(join(tmpdir(), "postern-tag-test-"));
const files = [...FOLDERS.map((folder) => `${folder}/below/one.ts`), ...FILES];

function write(file: string, text: string): void {
  mkdirSync(dirname(join(checkout, file)), { recursive: true });
  writeFileSync(join(checkout, file), text);
}

beforeEach(() => {
  for (const file of files) write(file, "before");
});
afterAll(() => rmSync(checkout, { recursive: true }));

test("the tag changes with each file that is deployed or makes what is deployed, and with nothing else", () => {
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

test("the documentation is made again if a source or a file that was made has changed, and not otherwise", async () => {
  let times = 0;
  const make = () =>
    makeDocs(checkout, async () => {
      times += 1;
      write(".assets/docs.html", "a page");
    });
  for (const changes of [
    () => {},
    () => write("src/below/one.ts", "after"),
    () => write(".assets/docs.html", "another page"),
    () => rmSync(join(checkout, ".assets"), { recursive: true }),
  ]) {
    const before = times;
    changes();
    await make();
    await make();
    expect([changes.toString(), times - before]).toEqual([changes.toString(), 1]);
  }
});

test("the Worker is bundled once of the same sources, and older bundles are removed", async () => {
  const bundleAll = async (): Promise<string> => {
    const folder = mkdtempSync(join(checkout, "bundle-"));
    const read = () => readFileSync(join(checkout, "src/below/one.ts"), "utf8");
    await bundleOnce(folder, checkout, async () => {
      writeFileSync(join(folder, "index.js"), `${read()}, bundled ${++times}`);
    });
    return readFileSync(join(folder, "index.js"), "utf8");
  };
  let times = 0;
  expect([await bundleAll(), await bundleAll()]).toEqual(["before, bundled 1", "before, bundled 1"]);
  write("src/below/one.ts", "after");
  expect([await bundleAll(), await bundleAll()]).toEqual(["after, bundled 2", "after, bundled 2"]);
  expect(readdirSync(join(checkout, ".wrangler/bundles"))).toEqual([tagOfSources(checkout)]);
});

test("the tag covers every script that the documentation is made by", () => {
  const scripts = readdirSync(".scripts/docs").map((name) => readFileSync(`.scripts/docs/${name}`, "utf8"));
  const imported = scripts.flatMap((text) =>
    [...text.matchAll(/from "\.\.\/([^"]+)"/g)].map(([, path]) => `.scripts/${path}`),
  );
  expect(imported.length).toBeGreaterThan(0);
  const isCovered = (path: string) => FILES.includes(path) || FOLDERS.some((folder) => path.startsWith(`${folder}/`));
  expect(imported.filter((path) => !isCovered(path))).toEqual([]);
});
