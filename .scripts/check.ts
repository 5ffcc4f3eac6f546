/** `npm run check`: every static gate, one after the other, all of them even when one fails. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const MAX_BUNDLE_GZIP_KIB = 400;
const bundle = mkdtempSync(join(tmpdir(), "postern-bundle-"));

const gates: Record<string, string[]> = {
  "types: src and test": ["tsc", "--noEmit"],
  "types: scripts": ["tsc", "--noEmit", "-p", ".scripts"],
  "lint and format": ["biome", "ci", "."],
  "dead code": ["knip"],
  "generated types in step": [
    "wrangler",
    "types",
    "src/worker-env.d.ts",
    "--include-runtime=false",
    "--strict-vars=false",
    "--check",
  ],
  "migrations consistent": ["drizzle-kit", "check", "--config", ".scripts/drizzle.config.ts"],
  bundle: ["wrangler", "deploy", "--dry-run", "--outdir", bundle],
  package: ["npm", "run", "package"],
};

const run = (command: string[]) => {
  const [program = "", ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input: "" });
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}` };
};

let failed = false;
const report = (name: string, ok: boolean, output: string) => {
  failed ||= !ok;
  console.log(`${ok ? "ok    " : "FAILED"} ${name}`);
  if (!ok) console.log(output);
};

for (const [name, command] of Object.entries(gates)) {
  const { ok, output } = run(command);
  report(name, ok, output);
}

const generated = run(["drizzle-kit", "generate", "--config", ".scripts/drizzle.config.ts"]);
const inStep = generated.ok && generated.output.includes("No schema changes");
report("migrations in step with src/db/schema.ts", inStep, generated.output);

const gzipKiB = gzipSync(readFileSync(join(bundle, "index.js"))).length / 1024;
const size = `bundle ${gzipKiB.toFixed(0)} KiB gzip (at most ${MAX_BUNDLE_GZIP_KIB})`;
report(size, gzipKiB <= MAX_BUNDLE_GZIP_KIB, "The bundle has grown: see what came in.");

rmSync(bundle, { recursive: true });
process.exit(failed ? 1 : 0);
