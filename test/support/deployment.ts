/** `npm run deploy` against a stand-in for the API of Cloudflare, as a program or as its plan alone. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { Account } from "../../.scripts/deploy/account.ts";
import { deploy as command } from "../../.scripts/deploy/command.ts";
import { readConfiguration } from "../../.scripts/deploy/configuration.ts";
import { makePlan } from "../../.scripts/deploy/plan.ts";
import type { Wrangler } from "../../.scripts/deploy/wrangler.ts";
import { makeDocs } from "../../.scripts/make-docs.ts";
import { readMigrations } from "../../.scripts/migrations.ts";
import { ACCOUNT, CloudflareApi } from "./cloudflare-api.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
export const QUEUES = ["deliveries", "deliveries-slow", "mail", "deliveries-dead", "mail-dead"].map(
  (name) => `postern-${name}`,
);
export const MIGRATIONS = readMigrations(join(ROOT, "migrations")).map(({ name }) => name);

/**
 * The part of wrangler's configuration that these tests read. Its own types are in a package that it does not publish.
 */
export interface Queues {
  queues: { producers?: { binding: string; queue: string }[]; consumers?: ({ queue: string } & object)[] };
}

export let api: CloudflareApi;
export let project: string;
export let health: { url: string; failures: number; close(): void };

/** Begins an account of Cloudflare, a service and a project, in which the process is until `endDeployment`. */
export async function beginDeployment(): Promise<void> {
  api = new CloudflareApi();
  const url = await api.listen();
  health = await healthServer();
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", url);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "token");
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", ACCOUNT);
  project = mkdtempSync(join(tmpdir(), "postern-deploy-test-"));
  for (const name of [
    ".scripts",
    "src",
    "migrations",
    "node_modules",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ]) {
    symlinkSync(join(ROOT, name), join(project, name));
  }
  cpSync(join(ROOT, "wrangler.toml"), join(project, "wrangler.toml"));
  process.chdir(project);
}

export function endDeployment(): void {
  vi.unstubAllEnvs();
  process.chdir(ROOT);
  api.close();
  health.close();
  rmSync(project, { recursive: true });
}

/**
 * A stand-in for the deployed service, which serves `/health` only. It answers 503 to the first `failures` requests.
 */
async function healthServer() {
  const server = createServer((_, response) => {
    const data = { refusedSettings: ["METRICS_TOKEN"], unexpectedIssuer: "https://other.example" };
    response.writeHead(state.failures > 0 ? 503 : 200).end(JSON.stringify({ data }));
    state.failures -= 1;
  });
  const state = { url: "", failures: 0, close: () => void server.close() };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** Runs `npm run deploy`, with wrangler itself. The documentation is that of this checkout. */
export async function deploy(flags: string[] = []) {
  await makeDocs(project, async () => cpSync(join(ROOT, ".assets"), join(project, ".assets"), { recursive: true }));
  const child = spawn("node", [join(ROOT, ".scripts/deploy.ts"), "--url", health.url, ...flags], { cwd: project });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}

/** Does in this process what `npm run deploy` does, with a `wrangler` that does nothing unless another is given. */
export async function deployHere(flags: string[] = [], wrangler: Wrangler = async () => "") {
  let text = "";
  const print = (words: unknown) => {
    text += `${words}\n`;
  };
  const surroundings = { wrangler, terminal: { log: print, error: print }, healthRetryMs: 1 };
  const code = await command(["--url", health.url, ...flags], surroundings);
  return { code, text };
}

export const toml = () => readFileSync(join(project, "wrangler.toml"), "utf8");
export const idsInToml = () => [...toml().matchAll(/^database_id = "(.*)"/gm)].map(([, id]) => id);

/**
 * Carries out the plan of a deployment in this process. Returns the arguments of each call of wrangler, and the
 * failure.
 */
export async function carryOut(options: Partial<Parameters<typeof makePlan>[3]> & { failsAt?: string } = {}) {
  const calls: string[][] = [];
  const wrangler = async (...args: string[]) => {
    calls.push(args.map((arg) => arg.replace(/.*\/secrets\.json$/, "secrets.json")));
    api.wrangler(args, readConfiguration(), MIGRATIONS);
    if (args[0] === options.failsAt) throw new Error("Refused by the test");
    return "";
  };
  const { steps } = await makePlan(readConfiguration(), await Account.open(), wrangler, {
    addShard: !!options.addShard,
    addQueues: !!options.addQueues,
    secrets: options.secrets ?? {},
  });
  try {
    for (const { run } of steps) await run();
    return { calls, failure: null };
  } catch (error) {
    return { calls, failure: String(error) };
  }
}

/** Changes the variables of wrangler.toml. */
export function setVars(vars: Record<string, string>): void {
  const lines = Object.entries(vars).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const others = toml()
    .split("\n")
    .filter((line) => !Object.keys(vars).some((name) => line.startsWith(`${name} =`)));
  writeFileSync(join(project, "wrangler.toml"), others.join("\n").replace("[vars]\n", `[vars]\n${lines.join("")}`));
}

export const migrate = (binding: string) => ["d1", "migrations", "apply", binding, "--remote"];
