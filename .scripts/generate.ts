/**
 * `npm run generate`: writes the types of postern/client from the OpenAPI document, and the tables of its methods from
 * their docstrings. `--check` writes nothing, and fails if a file is stale. The document is that of a started service,
 * or the file that is named.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { clientMethods } from "./client-methods.ts";
import { clientTypes } from "./client-types.ts";
import { type OpenApi, servedDocument } from "./openapi.ts";

const { values, positionals } = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true });
const [given] = positionals;
const document = given ? (JSON.parse(readFileSync(given, "utf8")) as OpenApi) : await servedDocument();

const files = {
  "src/sdk/client/generated.ts": clientTypes(document),
  "src/docs/markdown/client-methods.json": JSON.stringify(clientMethods()),
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
  const { status, stdout, stderr } = spawnSync("biome", ["format", "--stdin-file-path", file], {
    encoding: "utf8",
    input: source,
  });
  if (status !== 0) throw new Error(`biome could not format ${file}: ${stderr}`);
  return stdout;
}
