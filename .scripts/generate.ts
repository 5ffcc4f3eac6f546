/**
 * `npm run generate`: writes the types and the methods of postern/client from the OpenAPI document. `--check` writes
 * nothing, and fails if a file is stale.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { clientMethods, clientRequests } from "./client/methods.ts";
import { clientTypes } from "./client/types.ts";
import { readApi } from "./docs/build.ts";

const { values } = parseArgs({ options: { check: { type: "boolean" } } });
const { document, errors } = await readApi();
const files = {
  "src/sdk/client/generated.ts": clientTypes(document),
  "src/sdk/client/generated-methods.ts": clientMethods(document, errors),
  "src/sdk/client/generated-requests.ts": clientRequests(document),
};
for (const [file, source] of Object.entries(files)) {
  const text = formatted(file, source);
  if (!values.check) {
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is stale: run npm run generate.`);
    process.exitCode = 1;
  }
}

function formatted(file: string, source: string): string {
  const { status, stdout, stderr } = spawnSync("biome", ["check", "--write", "--stdin-file-path", file], {
    encoding: "utf8",
    input: source,
  });
  if (status !== 0) throw new Error(`biome could not format ${file}: ${stderr}`);
  return stdout;
}
