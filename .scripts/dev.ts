/** `npm run dev`: writes settings, applies migrations, runs wrangler, and fires the crons, which wrangler does not do by itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { onStop } from "./on-stop.ts";

const DEFAULT_PORT = 8787;
const CRON_INTERVAL_MS = 60_000;
const READY_POLL_MS = 200;
const STOP_GRACE_MS = 5_000;

const flags = process.argv.slice(2);
const flagValue = (name: string) => {
  const index = flags.findIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  return index < 0 ? undefined : (flags[index]?.split("=")[1] ?? flags[index + 1]);
};
const persist = flagValue("--persist-to");
const host = flagValue("--ip") ?? "localhost";
const address = `http://${host === "0.0.0.0" || host === "*" ? "localhost" : host}:${flagValue("--port") ?? DEFAULT_PORT}`;

if (!existsSync(".dev.vars")) {
  const settings = [`SECRET_KEYS=${randomBytes(32).toString("hex")}`, "WEBHOOK_EGRESS=any"];
  writeFileSync(".dev.vars", `${settings.join("\n")}\n`, { mode: 0o600 });
  console.log("Wrote .dev.vars with a random SECRET_KEYS.");
}

let wrangler: ChildProcess | undefined;
let stopping = false;

/** Starts wrangler in a process group of its own, so that one signal reaches its workerd too. */
function run(args: string[]): ChildProcess {
  return spawn("wrangler", args, {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
}

const ended = (child: ChildProcess) =>
  new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 0));
  });

function signalGroup(signal: NodeJS.Signals): void {
  try {
    if (wrangler?.pid) process.kill(-wrangler.pid, signal);
  } catch {
    // The group has already ended.
  }
}

function stop(): void {
  if (stopping) return;
  stopping = true;
  signalGroup("SIGTERM");
  setTimeout(() => signalGroup("SIGKILL"), STOP_GRACE_MS).unref();
}

onStop(stop);

const migrate = ["d1", "migrations", "apply", "DB", "--local", ...(persist ? ["--persist-to", persist] : [])];
wrangler = run(migrate);
const migrated = await ended(wrangler);
if (stopping || migrated !== 0) process.exit(migrated);

/** Links in mails lead to this console unless the settings name another client. */
const named = flags.some((flag) => flag.includes("APP_URL:")) || /^APP_URL=/m.test(readFileSync(".dev.vars", "utf8"));
const appUrl = named ? [] : ["--var", `APP_URL:${address}/console`];

wrangler = run(["dev", "--show-interactive-dev-session=false", ...appUrl, ...flags]);
const exited = ended(wrangler);
void whenReady();
const code = await exited;
signalGroup("SIGKILL");
process.exit(stopping ? 0 : code);

async function whenReady(): Promise<void> {
  while (!(await answers(`${address}/health`))) await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  console.log(`
Postern is listening on ${address}

  Console:     ${address}/console      (create an account there)
  Try first:   curl ${address}/health
  Register:    curl ${address}/api/v1/auth/register -H 'content-type: application/json' \\
                 -d '{"email":"you@example.com","password":"correct horse battery"}'
  Docs:        ${address}/docs
  Receiver:    npm run receiver        (in another terminal)

Mails are printed here, with the paths of their text and HTML parts. Ctrl-C stops everything; the data stays in .wrangler/.
`);
  const tick = (cron: string) => void answers(`${address}/cdn-cgi/handler/scheduled?cron=${cron}`);
  tick("*+*+*+*+*");
  setInterval(tick, CRON_INTERVAL_MS, "*+*+*+*+*").unref();
  setInterval(tick, 60 * CRON_INTERVAL_MS, "17+*+*+*+*").unref();
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
