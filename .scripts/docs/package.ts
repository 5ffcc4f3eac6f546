/** The npm package as the service serves it, so that nobody needs a registry or this repository to install it. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { buildModules } from "./modules.ts";

const manifest = z.looseObject({ version: z.string() });

/** What only this repository needs. */
const LEFT_OUT = ["allowScripts", "cloudflare", "devDependencies", "overrides", "private", "scarfSettings", "scripts"];

/** Returns the files to serve by their names: the package under its name, and under its name and version. */
export async function packedPackage(materials: string): Promise<[name: string, content: Buffer][]> {
  const folder = mkdtempSync(join("node_modules", ".package-"));
  try {
    const { version, ...fields } = manifest.parse(JSON.parse(readFileSync("package.json", "utf8")));
    const kept = Object.entries({ version, ...fields }).filter(([name]) => !LEFT_OUT.includes(name));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
    for (const file of ["README.md", "LICENSE"]) copyFileSync(file, join(folder, file));
    await buildModules(join(folder, "dist"));
    writeFileSync(join(folder, "dist/sbom.json"), materials);
    await promisify(execFile)("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: folder });
    const content = readFileSync(join(folder, `postern-${version}.tgz`));
    return [
      ["postern.tgz", content],
      [`postern-${version}.tgz`, content],
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
