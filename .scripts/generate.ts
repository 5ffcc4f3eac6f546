/**
 * `npm run generate`: writes the types of postern/client from the OpenAPI document. `--check` writes nothing, and fails
 * if the file is stale.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { clientTypes } from "./client-types.ts";
import { openApiText } from "./docs/build.ts";

const FILE = "src/sdk/client/generated.ts";

const { values } = parseArgs({ options: { check: { type: "boolean" } } });
const text = formatted(clientTypes(JSON.parse(await openApiText())));
if (!values.check) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, "utf8") !== text) {
  console.error(`${FILE} is stale: run npm run generate.`);
  process.exitCode = 1;
}

function formatted(source: string): string {
  const { status, stdout, stderr } = spawnSync("biome", ["format", "--stdin-file-path", FILE], {
    encoding: "utf8",
    input: source,
  });
  if (status !== 0) throw new Error(`biome could not format ${FILE}: ${stderr}`);
  return stdout;
}
