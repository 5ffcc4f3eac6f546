/** `npm run dev` with a second delivery database in wrangler.toml. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";

const START_TIMEOUT_MS = 90_000;
const POLL_MS = 100;
const SECOND = `
[[d1_databases]]
binding = "SHARD_1"
database_name = "postern-1"
database_id = "11111111-1111-1111-1111-111111111111"
migrations_dir = "migrations"
`;

let folder = "";
let dev: ChildProcess | undefined;

afterEach(async () => {
  const ended = new Promise((resolve) => dev?.once("exit", resolve));
  dev?.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
});

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

/** A copy of the project with its own wrangler.toml. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "postern-dev-databases-"));
  for (const name of [".scripts", "package.json", "tsconfig.json"]) cpSync(name, join(copy, name), { recursive: true });
  for (const name of ["src", "migrations", "node_modules"]) symlinkSync(join(process.cwd(), name), join(copy, name));
  writeFileSync(join(copy, "wrangler.toml"), readFileSync("wrangler.toml", "utf8") + SECOND);
  return copy;
}

test("the tenants of every database that wrangler.toml binds can use their webhooks", async () => {
  folder = copyProject();
  const port = await freePort();
  dev = spawn(process.execPath, [".scripts/dev.ts", "--port", String(port)], { cwd: folder, stdio: "ignore" });
  const call = (path: string, init?: RequestInit) => fetch(`http://localhost:${port}${path}`, init);
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await sleep(POLL_MS)) {
    if (
      await call("/health").then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
  }
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const body = JSON.stringify({ email: `person-${n}@example.com`, password: "correct horse battery" });
      const registered = await call("/api/v1/auth/register", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      const { data } = (await registered.json()) as { data: { accessToken: string } };
      return (await call("/api/v1/webhooks", { headers: { authorization: `Bearer ${data.accessToken}` } })).status;
    }),
  );
  expect(statuses).toEqual(Array(8).fill(200));
});
