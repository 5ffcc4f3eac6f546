/** How Miniflare runs the service: the bindings of wrangler.toml, the settings of .dev.vars and of the flags. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, type V4WorkerOptionsShape } from "miniflare";
import { ROOT, workerOptions } from "../bundle.ts";
import type { Flags } from "./flags.ts";
import { DATABASES_WORKER } from "./migrate.ts";
import { readable } from "./readable.ts";

/** The part of APP_URL in wrangler.toml that is replaced, because links in mails should lead to the port in use. */
const DEFAULT_ADDRESS = "http://localhost:8787";
const CONFIGURATION = new URL("./configuration.ts", import.meta.url).pathname;
/** The name of the Worker that is the service. */
const SERVICE_WORKER = "postern";
const EMPTY_SCRIPT = "export default {}";
/**
 * Serves the files of the API reference, outside the service. Otherwise every call of the service would pass the asset
 * router.
 */
const ASSET_SCRIPT = "export default { fetch: (request, env) => env.ASSETS.fetch(request) }";

/** Prints mails with the paths of their parts, and no other message of Miniflare. */
class MailLog extends Log {
  override info(message: string): void {
    if (message.includes("send_email")) super.info(message);
  }
}

/**
 * Returns the options for the bundle in `folder`, those for its databases alone, and its settings. Reads wrangler.toml
 * and .dev.vars again each time.
 */
export async function readOptions({ ip, port, inspectorPort, persistTo, vars, address }: Flags, folder: string) {
  const env = { ...process.env, WRANGLER_LOG: "error" }; // wrangler would print where it found the secrets.
  const { stdout } = await promisify(execFile)(process.execPath, [CONFIGURATION], { cwd: ROOT, env });
  const configured = JSON.parse(stdout) as V4WorkerOptionsShape;
  const { assets, bindings, serviceBindings, d1Databases, compatibilityDate = "" } = configured;
  const appUrl = String(bindings?.APP_URL).replace(DEFAULT_ADDRESS, address);
  const publicUrl = String(bindings?.PUBLIC_URL ?? "") || address;
  const settings: NonNullable<V4WorkerOptionsShape["bindings"]> = {
    ...bindings,
    ...{ APP_URL: appUrl, PUBLIC_URL: publicUrl },
    ...vars,
  };
  const worker: V4WorkerOptionsShape = {
    ...configured,
    bindings: settings,
    serviceBindings: { ...serviceBindings, ...(assets?.binding ? { [assets.binding]: "assets" } : {}) },
  };
  const shared = { cf: false, telemetry: { enabled: false }, resourcePersistencePath: join(persistTo, "v3") };
  const databases = convertV4MiniflareOptions({
    ...shared,
    workers: [
      {
        name: DATABASES_WORKER,
        modules: true,
        script: EMPTY_SCRIPT,
        compatibilityDate,
        ...(d1Databases ? { d1Databases } : {}),
      },
    ],
  });
  const service = convertV4MiniflareOptions({
    ...shared,
    host: ip,
    port,
    ...(inspectorPort > 0 ? { inspectorPort } : {}),
    log: new MailLog(LogLevel.INFO, { prefix: "" }),
    logRequests: false,
    handleStructuredLogs: ({ message }) =>
      void process.stdout.write(`${process.stdout.isTTY ? readable(message) : message}\n`),
    unsafeTriggerHandlers: true,
    workers: [
      workerOptions(SERVICE_WORKER, worker, folder),
      { name: "assets", modules: true, script: ASSET_SCRIPT, compatibilityDate, ...(assets ? { assets } : {}) },
    ],
  });
  return { service, databases, settings };
}
