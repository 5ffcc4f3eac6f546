/** Writes the sources as the Worker that is uploaded has them, into a folder that is bundled in place of src/. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { minifySync } from "rolldown/utils";
import { withPureSchemas } from "./pure-schemas.ts";
import { withoutDocument } from "./without-document.ts";

const SOURCES = "src";
/** Git-ignored. */
const FOLDER = ".worker";
/** What `wrangler deploy` bundles. Without it, wrangler bundles src/index.ts, which does the same and is larger. */
export const WORKER_ENTRY = `${FOLDER}/index.ts`;
const CSS_COMMENT_OR_INDENTATION = /\/\*[\s\S]*?\*\/\n?|^ +/gm;
const NOT_IN_WORKER = /^docs\/pages\//;

/** Writes what has changed, and removes what src/ no longer has. */
export function makeWorkerSource(checkout = "."): void {
  const [sources, folder] = [join(checkout, SOURCES), join(checkout, FOLDER)];
  const paths = filesIn(sources).filter((path) => !NOT_IN_WORKER.test(path));
  for (const path of paths) {
    const content = readFileSync(join(sources, path));
    write(join(folder, path), inWorker(path, content), checkout);
  }
  const current = new Set(paths);
  for (const path of filesIn(folder)) if (!current.has(path)) rmSync(join(folder, path), { force: true });
}

function inWorker(path: string, content: Buffer): Buffer {
  if (path.endsWith(".browser.js")) return Buffer.from(minifySync(path, content.toString()).code);
  if (path.endsWith(".css")) return Buffer.from(content.toString().replaceAll(CSS_COMMENT_OR_INDENTATION, ""));
  if (!/\.tsx?$/.test(path)) return content;
  return Buffer.from(withPureSchemas(path, withoutDocument(path, content.toString())));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Leaves a file alone that is as it should be. Another process may be bundling it, so it never sees half of it. */
function write(path: string, content: Buffer, checkout: string): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  const fresh = join(checkout, ".wrangler", `source-${process.pid}`);
  for (const file of [path, fresh]) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(fresh, content);
  renameSync(fresh, path);
}
