/**
 * The package as the service serves it, installed by npm, beside a service with a user who has a key: for the tests of
 * both.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Secret, TOTP } from "otpauth";
import { expect } from "vitest";
import {
  type DevServer,
  freePort,
  OPERATOR,
  type Receiver,
  startDevServer,
  startReceiver,
} from "../../browser/dev-server.ts";

export const START_TIMEOUT_MS = 300_000;
export const PASSWORD = "correct horse battery staple";

/** Where the package is installed. */
export const folder = mkdtempSync(join(tmpdir(), "postern-user-"));
export const installed = join(folder, "node_modules/postern");
/** The paths of the package's files. */
export let files: string[] = [];
export let server: DevServer;
export let receiver: Receiver;
/** An API key, which may make and change subscriptions and publish. */
export let key: string;

export async function openStage(): Promise<void> {
  server = await startDevServer(await freePort(), { url: "https://id.example" });
  install();
  receiver = await startReceiver();
  const token = await register("ada@example.com");
  const scopes = ["webhook.create", "webhook.read", "webhook.update", "event.publish"];
  key = (await post("/api-keys", { name: "cli", scopes }, token)).data.key ?? "";
  expect(key).toMatch(/^ak_/);
}

export async function closeStage(): Promise<void> {
  receiver?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function install(): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", `${server.base}/postern.tgz`], folder);
  const entries = readdirSync(installed, { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
}

/** Returns what the program prints. Throws when it fails. */
export function run(program: string, args: string[], cwd = "."): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`, { cause: error });
  return stdout;
}

async function post(path: string, body: object, token?: string) {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(`${server.base}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as { data: Record<string, string> };
}

/** Registers a person, and verifies the address. Returns an access token. */
async function register(email: string): Promise<string | undefined> {
  const { data } = await post("/auth/register", { email, password: PASSWORD });
  const link = await server.mailedLink(email, /./);
  await post("/auth/verify-email", { token: link.match(/[0-9a-f]{64}/)?.[0] });
  return data.accessToken;
}

/** A platform key, which an operator with a second factor makes. */
export async function platformKey(): Promise<string> {
  const accessToken = await register(OPERATOR);
  const enrolled = await post("/auth/2fa/enable", {}, accessToken);
  const secret = Secret.fromBase32(enrolled.data.secret ?? "");
  const token = new TOTP({ secret }).generate();
  await post("/auth/2fa/verify", { token }, accessToken);
  const made = await post("/platform/keys", { name: "importer", scopes: ["users.write"] }, accessToken);
  expect(made.data.key).toMatch(/^psk_/);
  return made.data.key ?? "";
}

export interface Ended {
  status: number | null;
  out: string;
  err: string;
}

interface Started {
  env?: Record<string, string>;
  input?: string;
  /** Whether nothing comes by standard input, as on a terminal. */
  hasNoInput?: boolean;
}

/** Starts the command line in a system of its own, with `input` as its standard input. */
export function start(args: string[], { env = {}, input = "", hasNoInput = false }: Started = {}) {
  const child = spawn(process.execPath, [join(installed, "dist/cli/postern.js"), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    stdio: [hasNoInput ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const printed = { out: "", err: "" };
  child.stdout?.on("data", (chunk: Buffer) => {
    printed.out += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    printed.err += chunk.toString();
  });
  child.stdin?.end(input);
  const ended = new Promise<Ended>((done) => child.once("close", (status) => done({ status, ...printed })));
  return { child, printed, ended };
}
