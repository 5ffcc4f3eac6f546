/**
 * `npm run check`: every static gate. A failed one does not stop the others. With `--audit`, the registry is asked
 * about the packages in the Worker as well. What it does not answer, and what this machine has no tool for, is NOT
 * CHECKED: neither good nor bad, and named again at the end. That fails with `--strict` only.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./bundle.ts";
import { checkBundle, checkServed, newFolder } from "./check/bundle.ts";
import { checkCommits } from "./check/commits.ts";
import { type Finding, finding, program, run } from "./check/gate.ts";
import { checkLockFile } from "./check/lock.ts";
import { checkSnippets } from "./check/snippets.ts";

const { audit, strict } = parseArgs({
  options: { audit: { type: "boolean", default: false }, strict: { type: "boolean", default: false } },
}).values;

/** As many checkers as usual would each look at types that they share, which takes twice the CPU time. */
const ONE_CHECKER = ["--checkers", "1"];

const TYPES: Record<string, string[]> = {
  "types: src and test": ["tsc", "--noEmit", ...ONE_CHECKER],
  "types: scripts": ["tsc", "--noEmit", "-p", ".scripts", ...ONE_CHECKER],
  "types: browser": ["tsc", "--noEmit", "-p", ".scripts/tsconfig.browser.json", ...ONE_CHECKER],
  "no forgotten promises; short functions, lines and files": ["node", ".scripts/code.ts"],
};

const OTHERS: Record<string, string[]> = {
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
  "migrations consistent": ["drizzle-kit", "check", "--config", ".scripts/drizzle.config.ts"],
  package: ["npm", "run", "package"],
  // Reads dist/, which the previous gate has built.
  "docstrings of the package": ["node", ".scripts/docstrings.ts"],
};

const ENVIRONMENT = {
  // Less garbage collection: the compiler takes a quarter less CPU time.
  GOGC: "400",
  // Shared with the tests: see vitest.config.ts.
  NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node-compile"),
  // No telemetry and no update checks: both wait for hosts that a build machine may not reach.
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};
Object.assign(process.env, ENVIRONMENT);

/** Runs programs one after the other. */
async function* runAll(programs: Record<string, string[]>): AsyncGenerator<Finding> {
  for (const [name, command] of Object.entries(programs)) yield program(name, ...command);
}

async function* checkOthers(): AsyncGenerator<Finding> {
  yield checkCommits();
  yield checkLockFile();
  yield* checkSnippets();
  yield* runAll(OTHERS);
  const generated = await run(["drizzle-kit", "generate", "--config", ".scripts/drizzle.config.ts"]);
  const upToDate = generated.ok && generated.output.includes("No schema changes");
  yield finding("migrations up to date with src/base/tables/", upToDate, generated.output);
}

/** What nobody could say, as it is printed. */
const notChecked: string[] = [];

/** Prints what was found as it comes. Resolves to whether nothing failed. */
async function report(findings: AsyncGenerator<Finding>): Promise<boolean> {
  let isGood = true;
  for await (const { name, result, output } of findings) {
    isGood &&= result !== "FAILED";
    const line = `${result.padEnd(7)} ${name}${isAnswered(result) ? "" : `: ${output}`}`;
    console.log(line);
    if (result === "FAILED") console.log(output);
    if (result === "NOT CHECKED") notChecked.push(line);
  }
  return isGood;
}

const isAnswered = (result: Finding["result"]): boolean => result === "ok" || result === "FAILED";

const folder = newFolder();
const isSmall = await report(checkBundle(folder));
// Side by side: most programs use one core.
const others = await Promise.all([checkServed(folder, audit), runAll(TYPES), checkOthers()].map(report));
rmSync(folder, { recursive: true });
if (notChecked.length > 0) console.log(`\n${notChecked.length} not checked:\n${notChecked.join("\n")}`);
const isComplete = !strict || notChecked.length === 0;
process.exit(isSmall && others.every(Boolean) && isComplete ? 0 : 1);
