/** `npm run dev` that is killed without a chance to clean up. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";

const START_TIMEOUT_MS = 90_000;
const GONE_TIMEOUT_MS = 15_000;
const POLL_MS = 100;

let state = "";
afterEach(() => rmSync(state, { recursive: true, force: true }));

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
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

test.each([
  ["npm", (root: number) => [root]],
  ["the script", (root: number) => nodeProcessesOf(root).slice(1, 2)],
  ["every Node process", nodeProcessesOf],
])("kill -9 of %s frees the port of npm run dev", async (_, victims) => {
  state = mkdtempSync(join(tmpdir(), "postern-dev-kill-"));
  const port = await freePort();
  const flags = ["--port", String(port), "--persist-to", state];
  const dev = spawn("npm", ["run", "dev", "--", ...flags], { stdio: "ignore" });
  expect(await until(true, port, START_TIMEOUT_MS)).toBe(true);
  for (const pid of victims(dev.pid ?? 0)) process.kill(pid, "SIGKILL");
  expect(await until(false, port, GONE_TIMEOUT_MS)).toBe(true);
});
