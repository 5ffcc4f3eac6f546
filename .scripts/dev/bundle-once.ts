/** The Worker's bundle, made once of the same files: wrangler and its bundler take five seconds of CPU. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle, ROOT } from "../bundle.ts";
import { tagOfSources } from "../deploy/tag.ts";
import { WORKER_ENTRY } from "../worker/source.ts";

/** Git-ignored. It has the newest bundle, under the tag of its sources. */
const KEPT = ".wrangler/bundles";

/** Bundles the Worker of a checkout into `folder` by `make`, or copies what was made of the same files. */
export async function bundleOnce(folder: string, checkout = ROOT, make = bundle): Promise<void> {
  const kept = placeOf(checkout);
  if (existsSync(kept)) {
    cpSync(kept, folder, { recursive: true });
    return;
  }
  await make(folder, join(checkout, "wrangler.toml"), WORKER_ENTRY);
  // Otherwise files have changed meanwhile.
  if (kept === placeOf(checkout)) keep(folder, kept);
}

/** Keeps the bundle in `folder`, which has just been made of this checkout. */
export const keepBundle = (folder: string): void => keep(folder, placeOf(ROOT));

const placeOf = (checkout: string): string => join(checkout, KEPT, tagOfSources(checkout));

/** Keeps a bundle in place of older ones. It appears in one step, because another process may look for it. */
function keep(folder: string, kept: string): void {
  if (existsSync(kept)) return;
  const all = join(kept, "..");
  mkdirSync(all, { recursive: true });
  for (const old of readdirSync(all)) {
    if (!old.startsWith(basename(kept))) rmSync(join(all, old), { recursive: true, force: true });
  }
  const copy = mkdtempSync(`${kept}-`);
  cpSync(folder, copy, { recursive: true });
  try {
    renameSync(copy, kept);
  } catch {
    // Another process was first.
    rmSync(copy, { recursive: true });
  }
}
