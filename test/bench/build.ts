/** The Workers as `wrangler deploy` would upload them: bundled once a run, into a temporary folder. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

export const ROOT = new URL("../../", import.meta.url).pathname;
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
  const [postern, counted, floor] = await Promise.all([
    bundle(join(folder, "postern"), CONFIG.postern),
    bundle(join(folder, "counted"), CONFIG.postern, join(HERE, "counted-worker.mjs")),
    bundle(join(folder, "floor"), CONFIG.floor),
  ]);
  return { postern, counted, floor };
}

async function bundle(outdir: string, config: string, entry?: string): Promise<string> {
  const args = ["deploy", ...(entry ? [entry] : []), "--dry-run", "--outdir", outdir, "--config", config];
  const wrangler = spawn("wrangler", args, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error" },
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    wrangler.once("error", reject).once("exit", resolve);
  });
  if (code !== 0) throw new Error(`wrangler could not bundle ${entry ?? config}`);
  return outdir;
}
