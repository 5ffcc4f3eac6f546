/**
 * `npm run build`: bundles the modules of the npm package with their declarations into dist/, which `npm pack` ships.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const DIST = "dist";
/** On the same file system as dist/, so that a file can be renamed into it. */
const fresh = mkdtempSync(join("node_modules", ".build-"));
try {
  // One at a time: each contains what it needs, and none a file of another.
  for (const name of ["client", "receive", "receive/testing", "session", "verify"]) {
    await build({
      input: { [`${name}/index`]: `src/sdk/${name}/index.ts` },
      // Exported types are explicit, so declarations need no type checker. A type that is not explicit stops the build.
      plugins: [dts({ generator: "oxc", tsconfig: false })],
      transform: { target: "es2022" },
      output: { dir: fresh, format: "es", entryFileNames: "[name].js" },
    });
  }
  await build({
    input: { "cli/postern": "src/sdk/cli/main.ts" },
    platform: "node",
    transform: { target: "node20" },
    output: { dir: fresh, format: "es", entryFileNames: "[name].js" },
  });
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
