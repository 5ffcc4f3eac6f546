/**
 * `npm run check`: every static gate. A failed one does not stop the others. With `--audit`, the registry is asked
 * about the packages in the Worker as well; where it does not answer, that is skipped and said.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkBundle, checkServed, newFolder } from "./check/bundle.ts";
import { checkCommits } from "./check/commits.ts";
import { type Finding, finding, program, run } from "./check/gate.ts";

const { audit } = parseArgs({ options: { audit: { type: "boolean", default: false } } }).values;

const PROGRAMS: Record<string, string[]> = {
  "types: src and test": ["tsc", "--noEmit"],
  "types: scripts": ["tsc", "--noEmit", "-p", ".scripts"],
  "types: browser": ["tsc", "--noEmit", "-p", ".scripts/tsconfig.browser.json"],
  "lint and format": ["biome", "ci", "."],
  "dead code": ["knip"],
  "no forgotten promises": ["node", ".scripts/promises.ts"],
  "short functions, lines and files": ["node", ".scripts/lengths.ts"],
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

/** No telemetry and no update checks: both wait for hosts that a build machine may not reach. */
const QUIET = {
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};
Object.assign(process.env, QUIET);

async function* checkSources(): AsyncGenerator<Finding> {
  yield checkCommits();
  for (const [name, command] of Object.entries(PROGRAMS)) yield program(name, ...command);
  const generated = await run(["drizzle-kit", "generate", "--config", ".scripts/drizzle.config.ts"]);
  const upToDate = generated.ok && generated.output.includes("No schema changes");
  yield finding("migrations up to date with src/platform/db/schema.ts", upToDate, generated.output);
}

/** Prints what was found as it comes. Resolves to whether nothing failed. */
async function report(findings: AsyncGenerator<Finding>): Promise<boolean> {
  let isGood = true;
  for await (const { name, result, output } of findings) {
    isGood &&= result !== "FAILED";
    console.log(`${result.padEnd(7)} ${name}${result === "skipped" ? `: ${output}` : ""}`);
    if (result === "FAILED") console.log(output);
  }
  return isGood;
}

const folder = newFolder();
const isSmall = await report(checkBundle(folder));
// Side by side: most programs use one core.
const others = await Promise.all([checkServed(folder, audit), checkSources()].map(report));
rmSync(folder, { recursive: true });
process.exit(isSmall && others.every(Boolean) ? 0 : 1);
