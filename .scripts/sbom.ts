/**
 * `node .scripts/sbom.ts FILE`: writes what ships with the service and the npm package, as npm's list of materials in
 * CycloneDX: the packages that the code imports, with all that they need. Tools are left out.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

const BARE_IMPORT = /(?:from|import) "((?:@[^/"]+\/)?[^./@"][^/":]*)(?:\/[^"]*)?"/g;
const MAX_BYTES = 64 * 1024 * 1024;
/** npm marks what is bundled as a tool, because package.json lists it with the tools. */
const TOOL = "cdx:npm:package:development";

const component = z.looseObject({
  "bom-ref": z.string(),
  properties: z.array(z.looseObject({ name: z.string() })).optional(),
});
const materials = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string(), dependencies: z.record(z.string(), z.string()).optional() }),
  ),
});

/** The list as JSON, the same for the same lock file. Needs no network. */
export async function listMaterials(): Promise<string> {
  const command = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const { stdout } = await promisify(execFile)("npm", command, { maxBuffer: MAX_BYTES });
  const { serialNumber: _, ...list } = materials.parse(JSON.parse(stdout));
  const { timestamp: __, ...metadata } = list.metadata;
  const shipped = shippedPackages();
  const components = list.components
    .filter((one) => shipped.has(one["bom-ref"]))
    .map((one) => ({ ...one, scope: "required", properties: one.properties?.filter(({ name }) => name !== TOOL) }));
  const dependencies = list.dependencies
    .filter(({ ref }) => shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => shipped.has(needed)) }));
  // npm names the component by the folder of the checkout.
  const named = { ...metadata, component: { ...metadata.component, name: "postern" } };
  return `${JSON.stringify({ ...list, metadata: named, components, dependencies }, null, 2)}\n`;
}

/** The packages that the code imports, and those that they need, as `name@version`. */
export function shippedPackages(): ReadonlySet<string> {
  const { packages } = lockFile.parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
  const paths = new Set<string>();
  const add = (name: string, from = ""): void => {
    const path = [`${from}node_modules/${name}`, `node_modules/${name}`].find((one) => one in packages);
    if (path === undefined || paths.has(path)) return;
    paths.add(path);
    for (const needed of Object.keys(packages[path]?.dependencies ?? {})) add(needed, `${path}/`);
  };
  for (const name of importedIn("src")) add(name);
  return new Set([...paths].map((path) => `${path.replace(/.*node_modules\//, "")}@${packages[path]?.version}`));
}

function importedIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // Examples in the documentation import what their readers have.
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith("docs/pages/"));
  return sources.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(BARE_IMPORT)].map(([, name = ""]) => name),
  );
}

if (import.meta.main) writeFileSync(process.argv[2] ?? "dist/sbom.json", await listMaterials());
