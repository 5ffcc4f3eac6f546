/** `npm run dev`: writes settings and runs the service, which ends with this process, however that ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { readFlags } from "./dev/flags.ts";
import { onStop } from "./on-stop.ts";
import { newSecretKey } from "./secret-key.ts";

const STOP_GRACE_MS = 5_000;

checkFlags();
if (!existsSync(".dev.vars")) {
  const settings = [`SECRET_KEYS=${newSecretKey()}`, "WEBHOOK_EGRESS=any"];
  writeFileSync(".dev.vars", `${settings.join("\n")}\n`, { mode: 0o600 });
  console.log("Wrote .dev.vars with a random SECRET_KEYS.");
}

let child: ChildProcess | undefined;
let stopping = false;
onStop(stop);

const code = await runService();
process.exit(stopping ? 0 : code);

function checkFlags(): void {
  try {
    readFlags();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/**
 * Runs the service in a process group of its own. When this resolves with the exit code, nothing of the group is left.
 */
async function runService(): Promise<number> {
  const program = new URL("./dev/service.ts", import.meta.url).pathname;
  child = spawn(process.execPath, [program, ...process.argv.slice(2)], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  guard(child);
  const ended = await new Promise<number>((resolve, reject) => {
    child?.once("error", reject).once("exit", (exitCode) => resolve(exitCode ?? 1));
  });
  signalGroup("SIGKILL");
  return ended;
}

/**
 * A shell that kills the group of `leader` once this process has ended, even by `kill -9`. Otherwise workerd would keep
 * the port.
 */
function guard(leader: ChildProcess): void {
  const script = 'read -r _; kill -s KILL -- "-$1"';
  const shell = spawn("sh", ["-c", script, "sh", String(leader.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  leader.once("exit", () => shell.kill("SIGKILL"));
}

function stop(): void {
  if (stopping) return;
  stopping = true;
  signalGroup("SIGTERM");
  setTimeout(() => signalGroup("SIGKILL"), STOP_GRACE_MS).unref();
}

function signalGroup(signal: NodeJS.Signals): void {
  try {
    if (child?.pid) process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}
