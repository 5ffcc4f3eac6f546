/** `npm run check`: every static gate in turn; a failed one does not stop the others. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { workerModules } from "./bundle.ts";
import { servedDocument } from "./openapi.ts";
import { startCpu } from "./start-cpu.ts";

/** Of all modules, texts included; about a quarter of what the platform's free plan accepts (3 MiB). */
const MAX_BUNDLE_GZIP_KIB = 800;
/** The platform accepts a second; an isolate starts while somebody waits. */
const MAX_START_CPU_MS = 160;
/**
 * The packages in the Worker, their own dependencies included. Each one is code to keep patched: raise this for a
 * reason only.
 */
const MAX_BUNDLED_PACKAGES = 15;
const bundle = mkdtempSync(join(tmpdir(), "postern-bundle-"));

const gates: Record<string, string[]> = {
  "types: src and test": ["tsc", "--noEmit"],
  "types: scripts": ["tsc", "--noEmit", "-p", ".scripts"],
  "types: browser": ["tsc", "--noEmit", "-p", ".scripts/tsconfig.browser.json"],
  "lint and format": ["biome", "ci", "."],
  "dead code": ["knip"],
  "generated types up to date": [
    "wrangler",
    "types",
    "src/worker-env.d.ts",
    "--include-runtime=false",
    "--strict-vars=false",
    "--check",
  ],
  "no forgotten promises": ["node", ".scripts/promises.ts"],
  "migrations consistent": ["drizzle-kit", "check", "--config", ".scripts/drizzle.config.ts"],
  bundle: ["wrangler", "deploy", "--dry-run", "--outdir", bundle, "--metafile"],
  package: ["npm", "run", "package"],
  // Reads dist/, which the previous gate has built.
  "docstrings of the package": ["node", ".scripts/docstrings.ts"],
};

/** No telemetry and no update checks: both wait for hosts that a build machine may not reach. */
const QUIET = {
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};
Object.assign(process.env, QUIET);

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
const upToDate = generated.ok && generated.output.includes("No schema changes");
report("migrations up to date with src/platform/db/schema.ts", upToDate, generated.output);

const modules = workerModules(bundle);
const gzipKiB = modules.reduce((total, { path }) => total + gzipSync(readFileSync(path)).length / 1024, 0);
const size = `bundle ${gzipKiB.toFixed(0)} KiB gzip (at most ${MAX_BUNDLE_GZIP_KIB})`;
report(size, gzipKiB <= MAX_BUNDLE_GZIP_KIB, "The bundle has grown; see what was added.");

const start = await startCpu(bundle);
// Without a measurement, or on a busy machine, the figure decides nothing.
const isSlow = start.ms > MAX_START_CPU_MS && !start.isDisturbed;
const startName = `CPU time of a start ${start.ms} ms${start.isDisturbed ? " on a busy machine" : ""}`;
report(`${startName} (at most ${MAX_START_CPU_MS})`, !isSlow, "Look at what the modules do when they load.");

const description = join(bundle, "openapi.json");
writeFileSync(description, JSON.stringify(await servedDocument(), null, 2));
// Two operations only redirect: a browser opens them on its way to a sign-in provider and back.
const redirecting = ["--skip-rule", "operation-2xx-response"];
const lint = run(["redocly", "lint", description, "--extends", "recommended", ...redirecting, "--format", "stylish"]);
report("OpenAPI document", lint.ok && !/You have \d+ (warning|error)/.test(lint.output), lint.output);

const generatedTypes = run(["node", ".scripts/generate.ts", "--check", description]);
report("types and methods of the client up to date", generatedTypes.ok, generatedTypes.output);

const { inputs } = JSON.parse(readFileSync(join(bundle, "bundle-meta.json"), "utf8")) as { inputs: object };
const packages = new Set(
  Object.keys(inputs).flatMap((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
);
const count = `packages in the bundle ${packages.size} (at most ${MAX_BUNDLED_PACKAGES})`;
report(count, packages.size <= MAX_BUNDLED_PACKAGES, [...packages].join("\n"));

rmSync(bundle, { recursive: true });
process.exit(failed ? 1 : 0);
