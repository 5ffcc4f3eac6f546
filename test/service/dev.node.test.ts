/** `npm run dev`: with a second delivery database in wrangler.toml, and killed without a chance to clean up. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { bundleOnce } from "../../.scripts/dev/bundle-once.ts";
import { makeDocs } from "../../.scripts/make-docs.ts";
import { freePort } from "../browser/dev-server.ts";

const START_TIMEOUT_MS = 240_000;
const GONE_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
const SECOND = `
[[d1_databases]]
binding = "SHARD_1"
database_name = "postern-1"
database_id = "11111111-1111-1111-1111-111111111111"
migrations_dir = "migrations"
`;

const folder = mkdtempSync(join(tmpdir(), "postern-dev-"));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
});

const answers = (port: number) =>
  fetch(`http://localhost:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

async function until(wanted: boolean, port: number, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    if ((await answers(port)) === wanted) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Starts it in a checkout. Returns the process of npm, and the port. */
async function startDev(checkout: string): Promise<{ npm: number; port: number }> {
  const port = await freePort();
  const state = join(folder, `state-${port}`);
  const flags = ["--port", String(port), "--persist-to", state];
  const dev = spawn("npm", ["run", "dev", "--", ...flags], { cwd: checkout, stdio: "ignore" });
  started.push(dev);
  expect(await until(true, port, START_TIMEOUT_MS)).toBe(true);
  return { npm: dev.pid ?? 0, port };
}

/** A copy of the project with its own wrangler.toml. Its bundle and its documentation are those of the project. */
async function copyProject(): Promise<string> {
  const copy = join(folder, "project");
  for (const name of [".scripts", "package.json", "tsconfig.json"]) cpSync(name, join(copy, name), { recursive: true });
  for (const name of ["src", "migrations", "node_modules", "package-lock.json"]) {
    symlinkSync(join(process.cwd(), name), join(copy, name));
  }
  writeFileSync(join(copy, "wrangler.toml"), readFileSync("wrangler.toml", "utf8") + SECOND);
  await makeDocs(copy, async () => cpSync(".assets", join(copy, ".assets"), { recursive: true }));
  await bundleOnce(mkdtempSync(join(folder, "bundle-")), copy, (into) => bundleOnce(into));
  return copy;
}

/** A process and those that it started, except workerd. */
function nodeProcessesOf(root: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  const all = rows.map((row) => row.trim().split(/\s+/));
  const found = [root];
  for (const parent of found) {
    for (const [pid, of, name] of all) if (Number(of) === parent && !name?.includes("workerd")) found.push(Number(pid));
  }
  return found.filter((pid) => all.some(([id, , name]) => Number(id) === pid && name !== "sh"));
}

/** The statuses of a new person's own subscriptions, for eight people, whose tenants are placed at random. */
const useWebhooks = (port: number) =>
  Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const call = (path: string, init?: RequestInit) => fetch(`http://localhost:${port}/api/v1${path}`, init);
      const body = JSON.stringify({ email: `person-${n}@example.com`, password: "correct horse battery" });
      const headers = { "content-type": "application/json" };
      const registered = await call("/auth/register", { method: "POST", headers, body });
      const { data } = (await registered.json()) as { data: { accessToken: string } };
      return (await call("/webhooks", { headers: { authorization: `Bearer ${data.accessToken}` } })).status;
    }),
  );

/** Kills processes, and expects that nothing listens at the port any more. */
async function killAll(pids: readonly number[], port: number): Promise<void> {
  for (const pid of pids) process.kill(pid, "SIGKILL");
  expect(await until(false, port, GONE_TIMEOUT_MS)).toBe(true);
}

describe("with a second delivery database", () => {
  let dev: Awaited<ReturnType<typeof startDev>>;

  test("the tenants of every database that wrangler.toml binds can use their webhooks", async () => {
    dev = await startDev(await copyProject());
    expect(await useWebhooks(dev.port)).toEqual(Array(8).fill(200));
  });

  test("kill -9 of npm frees the port", () => killAll([dev.npm], dev.port));
});

test("kill -9 of the script frees the port", async () => {
  const { npm, port } = await startDev(process.cwd());
  await killAll(nodeProcessesOf(npm).slice(1, 2), port);
});

test("kill -9 of every Node process frees the port", async () => {
  const { npm, port } = await startDev(process.cwd());
  await killAll(nodeProcessesOf(npm), port);
});
