/**
 * `npm run build`: bundles the modules of the npm package with their declarations into dist/, which `npm pack` ships.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildModules } from "./docs/modules.ts";

const DIST = "dist";
/** On the same file system as dist/, so that a file can be renamed into it. */
const fresh = mkdtempSync(join("node_modules", ".build-"));
try {
  await buildModules(fresh);
  replaceFiles(fresh, DIST);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

/** Puts the files of a folder in place of those of another. A file of both is never missing: others may run it. */
function replaceFiles(from: string, to: string): void {
  const made = filesIn(from);
  for (const file of made) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  }
  for (const file of filesIn(to).filter((one) => !made.includes(one))) rmSync(join(to, file), { force: true });
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}
