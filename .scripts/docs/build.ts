/** Builds the documentation: the pages, the files that they load, the OpenAPI document, and the npm package. */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { methodTables } from "../client/method-tables.ts";
import type { OwnErrors } from "../client/methods.ts";
import type { OpenApi } from "../client/openapi.ts";
import { listMaterials } from "../sbom.ts";
import { dataModel } from "./data-model.ts";
import { highlighted } from "./highlight.ts";
import { packedPackage } from "./package.ts";

/** The folder that `[assets]` of wrangler.toml names. */
const FOLDER = ".assets";
const PAGES = "src/docs/pages";
/** What pages load, by the name under which it is served. */
const ASSETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    readdirSync("src/docs/browser").map((file) => [file.replace(".browser.", "."), `src/docs/browser/${file}`]),
  ),
  "grafana-dashboard.json": `${PAGES}/metrics/grafana-dashboard.json`,
};
const HASH_CHARACTERS = 8;

interface Api {
  document: OpenApi;
  errors: OwnErrors;
}

interface Documents {
  documents(sources: object): Record<string, string>;
  api(): Api;
}

/** Writes all files into the folder, and removes any other file in it. */
export async function buildDocs(): Promise<void> {
  const { assets, texts } = await readDocs();
  const files = new Map([
    ...assets,
    ...Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const),
  ]);
  for (const [path, content] of files) write(join(FOLDER, path), content);
  for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path.slice(FOLDER.length + 1))) rmSync(path);
  }
}

/** The OpenAPI document, with marks in place of the figures of limits. */
export const openApiText = async (): Promise<string> => JSON.stringify((await readApi()).document);

/** What postern/client is generated from. */
export const readApi = async (): Promise<Api> => (await importDocuments()).api();

async function readDocs() {
  const contents = Object.entries(ASSETS).map(([name, path]) => [name, readFileSync(path)] as const);
  const versions = new Map(contents.map(([name, content]) => [name, hashOf(content)]));
  const addressOf = (name: string, content?: string) =>
    `/docs/assets/${name}?v=${content === undefined ? versions.get(name) : hashOf(content)}`;
  const [{ documents }, materials] = await Promise.all([importDocuments(), listMaterials()]);
  const assets = [...contents, ["sbom.json", Buffer.from(materials)] as const].map(
    ([name, content]) => [`docs/assets/${name}`, content] as const,
  );
  return {
    assets: [...assets, ...(await packedPackage(materials))],
    texts: documents({ pages: readPages(), methods: methodTables(), dataModel: dataModel(), addressOf, highlighted }),
  };
}

/** The Markdown of each page, by its name. */
function readPages(): Record<string, string> {
  const files = readdirSync(PAGES, { recursive: true, encoding: "utf8" });
  const names = files.flatMap((file) => file.match(/^(.+)\.md$/)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${PAGES}/${name}.md`, "utf8")]));
}

const hashOf = (content: Buffer | string): string =>
  createHash("sha256").update(content).digest("hex").slice(0, HASH_CHARACTERS);

/** Bundles src/documents.ts for Node, which it is not written for: imported files become texts, as in the Worker. */
async function importDocuments(): Promise<Documents> {
  const bundle = await rolldown({
    input: "src/documents.ts",
    platform: "node",
    moduleTypes: { ".css": "text", ".txt": "text", ".wasm": "binary" },
    transform: { jsx: { runtime: "automatic", importSource: "hono/jsx" } },
    plugins: [{ name: "browser-files-as-text", load: { filter: { id: /\.browser\.js$/ }, handler: textModule } }],
    onLog: () => {},
  });
  const folder = newFolder();
  try {
    const { output } = await bundle.write({ dir: folder, format: "es" });
    const entry = output[0].fileName;
    return (await import(pathToFileURL(join(folder, basename(entry))).href)) as Documents;
  } finally {
    await bundle.close();
    rmSync(folder, { recursive: true });
  }
}

const textModule = (id: string): string => `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;

/** Leaves a file alone that is as it should be. Others may read the file meanwhile, so they never see half of it. */
function write(path: string, content: Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  mkdirs(dirname(path));
  // In the same file system, which node_modules may not be in.
  const folder = mkdtempSync(`${FOLDER}-`);
  writeFileSync(join(folder, basename(path)), content);
  renameSync(join(folder, basename(path)), path);
  rmSync(folder, { recursive: true });
}

const newFolder = (): string => mkdtempSync(join(mkdirs("node_modules/.cache"), "docs-"));

function mkdirs(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
