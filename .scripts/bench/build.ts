/** The Workers as `wrangler deploy` would upload them: bundled once a run, into a temporary folder. */
import { join } from "node:path";
import { bundle, ROOT } from "../bundle.ts";
import { WORKER_ENTRY } from "../worker/source.ts";
import { temporaryFolder } from "./temporary.ts";

const HERE = new URL("./", import.meta.url).pathname;

/** Wrangler configurations; the counted Worker is the one under test with another entry. */
export const CONFIG = { postern: join(ROOT, "wrangler.toml"), floor: join(HERE, "floor.wrangler.toml") };

/** Folders that hold an ES module and the files it imports. */
export interface Bundles {
  postern: string;
  counted: string;
  floor: string;
}

export async function build(): Promise<Bundles> {
  const folder = temporaryFolder("build");
  const bundles = { postern: join(folder, "postern"), counted: join(folder, "counted"), floor: join(folder, "floor") };
  await Promise.all([
    bundle(bundles.postern, CONFIG.postern, WORKER_ENTRY),
    bundle(bundles.counted, CONFIG.postern, join(HERE, "counted-worker.mjs")),
    bundle(bundles.floor, CONFIG.floor),
  ]);
  return bundles;
}

/** Like `build`, with the Worker of another checkout of this repository, whose packages are installed. */
export async function buildOther(bundles: Bundles, checkout: string): Promise<Bundles> {
  const postern = join(temporaryFolder("other"), "postern");
  await bundle(postern, join(checkout, "wrangler.toml"));
  return { ...bundles, postern };
}
