/**
 * The service of `npm run dev`, run by Miniflare's API. `wrangler dev` would put a proxy, an inspector, a trace
 * collector and the asset router around every call, which cost half of the speed and most of the memory.
 */
import { mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { ROOT } from "../bundle.ts";
import { fireCron } from "../cron.ts";
import { makeDocs } from "../make-docs.ts";
import { onStop } from "../on-stop.ts";
import { registerApp } from "./app.ts";
import { bundleOnce } from "./bundle-once.ts";
import { type Flags, readFlags } from "./flags.ts";
import { startSample } from "./mcp.ts";
import { DATABASES_WORKER, migrateRunning, withDatabases } from "./migrate.ts";
import { readOptions } from "./options.ts";
import { platformKeyOf } from "./platform-key.ts";

/** Files besides those in src/ that change the service. */
const WATCHED_FILES = new Set(["wrangler.toml", ".dev.vars"]);
const DEBOUNCE_MS = 100;
const MINUTE_MS = 60_000;
const EVERY_MINUTE = "* * * * *";
const EVERY_HOUR = "17 * * * *";

const flags = readFlags();
if (flags.isFresh) rmSync(join(flags.persistTo, "v3"), { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), "postern-dev-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Miniflare passes these flags to workerd, which otherwise keeps several hundred MiB of garbage. */
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--optimize-for-size --max-semi-space-size=1";
await build();
const options = await readOptions(flags, folder);
const platformKey = await withDatabases(options.databases, (databases) =>
  platformKeyOf(databases, flags, options.settings.WEBHOOK_EGRESS),
);
const miniflare = new Miniflare(options.service);
onStop(() => void miniflare.dispose().then(() => process.exit(0)));
await miniflare.ready;
const envFile = flags.app && platformKey ? await registerApp(flags.app, flags, platformKey) : null;
const sample = flags.mcpPort !== null && platformKey ? await startSample(flags, flags.mcpPort, platformKey) : null;
if (flags.app && !platformKey) console.log("--app registers nothing: others may reach this service.");
console.log(welcome(flags, platformKey, envFile, sample));
void tick(EVERY_MINUTE);
setInterval(tick, MINUTE_MS, EVERY_MINUTE);
setInterval(tick, 60 * MINUTE_MS, EVERY_HOUR);
watchSources();

async function build(): Promise<void> {
  await bundleOnce(folder);
  await makeDocs();
}

/** A failed trigger does not stop the service. */
async function tick(cron: string): Promise<void> {
  try {
    await fireCron(miniflare, cron);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

/**
 * Bundles and starts the service again after each change. Messages in the queues are lost, and the sweep sends them
 * again.
 */
function watchSources(): void {
  let timer: NodeJS.Timeout | undefined;
  let reloaded = Promise.resolve();
  const reload = async () => {
    try {
      await build();
      const { databases, service } = await readOptions(flags, folder);
      await miniflare.setOptions(databases);
      await migrateRunning(miniflare, DATABASES_WORKER);
      await miniflare.setOptions(service);
      console.log("Reloaded.");
      void tick(EVERY_MINUTE);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  };
  const change = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reloaded = reloaded.then(reload);
    }, DEBOUNCE_MS);
  };
  watch(join(ROOT, "src"), { recursive: true }, change);
  watch(ROOT, (_, file) => {
    if (file !== null && WATCHED_FILES.has(file)) change();
  });
}

function welcome(
  { address, persistTo }: Flags,
  platformKey: string | null,
  envFile: string | null,
  sample: string | null,
): string {
  return `
Postern is listening on ${address}

  Console:     ${address}/console      (create an account there)
  Try first:   curl ${address}/health
  Register:    curl ${address}/api/v1/auth/register -H 'content-type: application/json' \\
                 -d '{"email":"you@example.com","password":"correct horse battery"}'
  Docs:        ${address}/docs
  Your product: ${address}/docs/add-to-your-product${
    platformKey === null
      ? ""
      : `
  PLATFORM_KEY=${platformKey}   (for its backend; never outside this machine)`
  }${
    envFile === null
      ? ""
      : `
  Your app:    npx node --env-file=${envFile} src/docs/pages/shop/sign-in.mjs   (its client, and that key)`
  }${
    sample === null
      ? ""
      : `
  For agents:  claude mcp add --transport http notes ${sample}   (or in any other agent)`
  }
  Receiver:    npm run receiver        (in another terminal)

Mails are printed here, with the paths of their text and HTML parts.
Ctrl-C stops everything; the data stays in ${persistTo}/.
`;
}
