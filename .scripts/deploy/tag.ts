/** Names what would be deployed, so that the same version is not deployed twice. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The longest tag that a version can have. */
const TAG_CHARACTERS = 25;
const FOLDERS = ["src", "migrations"];
const FILES = ["wrangler.toml", "package-lock.json"];

/** Returns a tag for the code and the settings in the working directory. */
export function tagOfSources(): string {
  const entries = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const file of [...files.sort(), ...FILES]) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex").slice(0, TAG_CHARACTERS);
}
