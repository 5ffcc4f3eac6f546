/** Names what would be deployed, so that the same version is not deployed twice. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The longest tag that a version can have. */
const TAG_CHARACTERS = 25;
/** The documentation, which is deployed too, is made by scripts. */
export const FOLDERS = ["src", "migrations", ".scripts/docs", ".scripts/client", ".scripts/worker"];
export const FILES = ["wrangler.toml", "package.json", "package-lock.json", "tsconfig.json", ".scripts/sbom.ts"];

/** Returns a tag for the code and the settings in a checkout. */
export const tagOfSources = (checkout = "."): string => digestOf(checkout, FOLDERS, FILES).slice(0, TAG_CHARACTERS);

/** Returns a digest of the files below `folders`, and of `more` files, with their paths in the checkout. */
export function digestOf(checkout: string, folders: readonly string[], more: readonly string[] = []): string {
  const entries = folders.flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(checkout, join(entry.parentPath, entry.name)));
  const hash = createHash("sha256");
  for (const file of [...files.sort(), ...more]) hash.update(`${file}\0`).update(readFileSync(join(checkout, file)));
  return hash.digest("hex");
}
