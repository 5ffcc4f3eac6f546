/** A Worker as `wrangler deploy` would upload it, and how Miniflare runs it. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { V4WorkerOptions, V4WorkerOptionsShape } from "miniflare";

export const ROOT = new URL("../", import.meta.url).pathname;

/**
 * Bundles the Worker of a wrangler configuration into `folder`, with `entry` in place of its entry point. Throws when
 * it cannot be bundled; wrangler has then printed why.
 */
export async function bundle(folder: string, config: string, entry?: string): Promise<void> {
  const args = ["deploy", ...(entry ? [entry] : []), "--dry-run", "--outdir", folder, "--config", config];
  const wrangler = spawn("wrangler", args, {
    cwd: dirname(config),
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error" },
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    wrangler.once("error", reject).once("exit", resolve);
  });
  if (code !== 0) throw new Error(`wrangler could not bundle ${entry ?? config}`);
}

/** The last matching pattern decides. */
const MODULE_TYPES = [
  [/\.js$/, "ESModule"],
  [/\.wasm$/, "CompiledWasm"],
  [/\.(txt|md|css|browser\.js)$/, "Text"],
] as const;

/** The entry, which is the only ES module, and then what it imports. */
export function workerModules(folder: string) {
  const modules = readdirSync(folder).flatMap((file) => {
    const type = MODULE_TYPES.findLast(([pattern]) => pattern.test(file))?.[1];
    return type ? [{ type, path: join(folder, file) }] : [];
  });
  return modules.sort((a, b) => Number(b.type === "ESModule") - Number(a.type === "ESModule"));
}

/**
 * Miniflare's options for a bundle with the bindings of its configuration. Its assets are left out: their simulated
 * router would be in front of every call, queue messages included.
 */
export function workerOptions(name: string, configured: V4WorkerOptionsShape, folder: string): V4WorkerOptions {
  const { modulesRules: _, assets: __, ...options } = configured;
  return { ...options, name, modulesRoot: folder, modules: workerModules(folder) };
}
