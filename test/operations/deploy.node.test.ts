/** `npm run deploy` with the real wrangler, against a stand-in for Cloudflare's API. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readMigrations } from "../../.scripts/migrations.ts";
import { ACCOUNT, CloudflareApi } from "../support/cloudflare-api.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const QUEUES = ["deliveries", "deliveries-slow", "mail", "deliveries-dead", "mail-dead"].map(
  (name) => `postern-${name}`,
);
const MIGRATIONS = readMigrations(join(ROOT, "migrations")).map(({ name }) => name);

/** Long, because wrangler starts a dozen times. */
const TIMEOUT_MS = 300_000;

let api: CloudflareApi;
let project: string;
let apiUrl: string;
let health: { url: string; failures: number; close(): void };

beforeEach(async () => {
  api = new CloudflareApi();
  apiUrl = await api.listen();
  health = await healthServer();
  project = mkdtempSync(join(tmpdir(), "postern-deploy-test-"));
  for (const name of ["src", "migrations", "node_modules", "package.json", "package-lock.json", "tsconfig.json"]) {
    symlinkSync(join(ROOT, name), join(project, name));
  }
  cpSync(join(ROOT, "wrangler.toml"), join(project, "wrangler.toml"));
});

afterEach(() => {
  api.close();
  health.close();
  rmSync(project, { recursive: true });
});

/**
 * A stand-in for the deployed service, which serves `/health` only. It answers 503 to the first `failures` requests.
 */
async function healthServer() {
  const server = createServer((_, response) => {
    response.writeHead(state.failures > 0 ? 503 : 200).end();
    state.failures -= 1;
  });
  const state = { url: "", failures: 0, close: () => void server.close() };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function deploy(...flags: string[]) {
  const child = spawn("node", [join(ROOT, ".scripts/deploy.ts"), "--url", health.url, ...flags], {
    cwd: project,
    env: {
      ...process.env,
      CLOUDFLARE_API_BASE_URL: apiUrl,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}

const toml = () => readFileSync(join(project, "wrangler.toml"), "utf8");
const idsInToml = () => [...toml().matchAll(/^database_id = "(.*)"/gm)].map(([, id]) => id);

test(
  "a deployment is completed after failures in the middle, repeating it changes nothing, and --add-shard adds a database",
  async () => {
    const withoutAlerts = toml();
    writeFileSync(
      join(project, "wrangler.toml"),
      withoutAlerts.replace(/^# (.*\n)# (binding = "ALERTS_QUEUE"\n)# /m, "$1$2"),
    );
    const planned = await deploy("--dry-run");
    writeFileSync(join(project, "wrangler.toml"), withoutAlerts);
    expect(planned.code).toBe(0);
    expect(planned.text).toContain("would: Create the queue postern-alerts\n");
    expect(planned.text).toContain("would: Create the database postern\n");
    expect(api.state()).toEqual({ databases: [], queues: {}, schedules: "", versions: [], secrets: [] });
    expect(idsInToml()).toEqual(["00000000-0000-0000-0000-000000000000"]);

    for (const call of ["POST /queues", "POST /d1/database/", "PUT /workers/scripts/postern/schedules"]) {
      api.failsAt = call;
      const failed = await deploy();
      expect([call, failed.code, failed.text]).toEqual([call, 1, expect.stringContaining("Refused by the test")]);
      expect(failed.text).toContain("run `npm run deploy` again");
    }
    health.failures = 1;
    const completed = await deploy();
    expect([completed.code, completed.text]).toEqual([0, expect.stringContaining(`It works: ${health.url}`)]);
    expect(completed.text).toContain("Set APP_URL in wrangler.toml");
    expect(completed.text).toContain("Set MAIL_FROM in wrangler.toml");

    const state = api.state();
    expect(state).toMatchObject({ databases: [{ name: "postern", migrations: MIGRATIONS }], secrets: ["SECRET_KEYS"] });
    expect(state.versions).toHaveLength(1);
    expect(JSON.parse(state.schedules)).toEqual([{ cron: "* * * * *" }, { cron: "17 * * * *" }]);
    expect(Object.keys(state.queues).toSorted()).toEqual(QUEUES.toSorted());
    for (const consumers of Object.values(state.queues)) expect(consumers).toMatchObject([{ script_name: "postern" }]);
    expect(idsInToml()).toEqual([...api.databases.keys()]);

    expect((await deploy()).code).toBe(0);
    expect(api.state()).toEqual(state);

    const added = await deploy("--add-shard");
    expect([added.code, added.text]).toEqual([0, expect.stringContaining("npm run types")]);
    const databases = ["postern", "postern-shard-1"].map((name) => ({ name, migrations: MIGRATIONS }));
    expect(api.state()).toMatchObject({ databases, queues: state.queues, secrets: ["SECRET_KEYS"] });
    expect(api.versions).toHaveLength(2);
    expect(idsInToml()).toEqual([...api.databases.keys()]);
    expect(toml()).toContain('binding = "SHARD_1"');
  },
  TIMEOUT_MS,
);

test("a database of another account is refused by its id", async () => {
  writeFileSync(
    join(project, "wrangler.toml"),
    toml().replace(/^database_id = .*/m, 'database_id = "of-another-account"'),
  );
  const refused = await deploy();
  expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("of-another-account for DB")]);
  expect(api.state().databases).toEqual([]);
});
