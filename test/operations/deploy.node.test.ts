/**
 * `npm run deploy` against a stand-in for Cloudflare's API: once with the real wrangler, otherwise its plan with a
 * stand-in for wrangler too, which starts faster.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { Account } from "../../.scripts/deploy/account.ts";
import { NO_ID, readConfiguration } from "../../.scripts/deploy/configuration.ts";
import { makePlan } from "../../.scripts/deploy/plan.ts";
import { readMigrations } from "../../.scripts/migrations.ts";
import { ACCOUNT, CloudflareApi } from "../support/cloudflare-api.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const QUEUES = ["deliveries", "deliveries-slow", "mail", "deliveries-dead", "mail-dead"].map(
  (name) => `postern-${name}`,
);
const MIGRATIONS = readMigrations(join(ROOT, "migrations")).map(({ name }) => name);

/**
 * The part of wrangler's configuration that these tests read. Its own types are in a package that it does not publish.
 */
interface Queues {
  queues: { producers?: { binding: string; queue: string }[]; consumers?: ({ queue: string } & object)[] };
}

/** Wrangler starts twice. */
const TIMEOUT_MS = 120_000;

let api: CloudflareApi;
let project: string;
let health: { url: string; failures: number; close(): void };

beforeEach(async () => {
  api = new CloudflareApi();
  const url = await api.listen();
  health = await healthServer();
  Object.assign(process.env, {
    CLOUDFLARE_API_BASE_URL: url,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
  });
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
});

afterEach(() => {
  process.chdir(ROOT);
  api.close();
  health.close();
  rmSync(project, { recursive: true });
});

/**
 * A stand-in for the deployed service, which serves `/health` only. It answers 503 to the first `failures` requests.
 */
async function healthServer() {
  const server = createServer((_, response) => {
    response.writeHead(state.failures > 0 ? 503 : 200).end('{"data":{"refusedSettings":["METRICS_TOKEN"]}}');
    state.failures -= 1;
  });
  const state = { url: "", failures: 0, close: () => void server.close() };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function deploy(flags: string[] = [], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn("node", [join(ROOT, ".scripts/deploy.ts"), "--url", health.url, ...flags], {
    cwd: project,
    env,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, text };
}

const toml = () => readFileSync(join(project, "wrangler.toml"), "utf8");
const idsInToml = () => [...toml().matchAll(/^database_id = "(.*)"/gm)].map(([, id]) => id);

/**
 * Carries out the plan of a deployment in this process. Returns the arguments of each call of wrangler, and the
 * failure.
 */
async function carryOut(options: Partial<Parameters<typeof makePlan>[3]> & { failsAt?: string } = {}) {
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

const migrate = (binding: string) => ["d1", "migrations", "apply", binding, "--remote"];

test(
  "a failed deployment says how to go on, and with wrangler itself the next one completes it",
  async () => {
    api.failsAt = "POST /queues";
    const failed = await deploy();
    expect([failed.code, failed.text]).toEqual([1, expect.stringContaining("Refused by the test")]);
    expect(failed.text).toContain("run `npm run deploy` again");

    health.failures = 1;
    const completed = await deploy();
    expect([completed.code, completed.text]).toEqual([0, expect.stringContaining(`It works: ${health.url}`)]);
    expect(completed.text).toContain("Set APP_URL in wrangler.toml");
    expect(completed.text).toContain("Set MAIL_FROM in wrangler.toml");
    expect(completed.text).toContain("because their values are wrong: METRICS_TOKEN");

    const state = api.state();
    expect(state).toMatchObject({ databases: [{ name: "postern", migrations: MIGRATIONS }], secrets: ["SECRET_KEYS"] });
    expect(state.versions).toHaveLength(1);
    expect(JSON.parse(state.schedules)).toEqual([{ cron: "* * * * *" }, { cron: "17 * * * *" }]);
    expect(Object.keys(state.queues).toSorted()).toEqual(QUEUES.toSorted());
    for (const consumers of Object.values(state.queues)) expect(consumers).toMatchObject([{ script_name: "postern" }]);
    expect(idsInToml()).toEqual([...api.databases.keys()]);
  },
  TIMEOUT_MS,
);

test("a dry run prints the steps and does none", async () => {
  const alerts = toml().replace(/^# (.*\n)# (binding = "ALERTS_QUEUE"\n)# /m, "$1$2");
  writeFileSync(join(project, "wrangler.toml"), alerts);
  const planned = await deploy(["--dry-run"]);
  expect(planned.code).toBe(0);
  expect(planned.text).toContain("would: Create the queue postern-alerts\n");
  expect(planned.text).toContain("would: Create the database postern\n");
  expect(api.state()).toEqual({ databases: [], queues: {}, schedules: "", versions: [], secrets: [] });
  expect(idsInToml()).toEqual([NO_ID]);
});

test("a dry run works without a login and without a network, and says what it could not ask", async () => {
  const { CLOUDFLARE_API_TOKEN: _, ...loggedOut } = process.env;
  const home = { HOME: project, XDG_CONFIG_HOME: project };
  for (const env of [
    { ...loggedOut, ...home },
    { ...process.env, CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1" },
  ]) {
    const { code, text } = await deploy(["--dry-run"], env);
    expect([code, text]).toEqual([0, expect.stringContaining("Cloudflare was not asked. ")]);
    expect(text).toContain("would: Create the database postern\n");
    expect(text).toContain("would: Deploy the Worker");
  }
});

/** Changes the variables of wrangler.toml. */
function setVars(vars: Record<string, string>): void {
  const lines = Object.entries(vars).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const others = toml()
    .split("\n")
    .filter((line) => !Object.keys(vars).some((name) => line.startsWith(`${name} =`)));
  writeFileSync(join(project, "wrangler.toml"), others.join("\n").replace("[vars]\n", `[vars]\n${lines.join("")}`));
}

test("a bad setting is named with what is right, and nothing is created or uploaded", async () => {
  setVars({ RETENTION_DAYS: "0", BRAND_COLOR: "blue", LOG_LEVL: "warn" });
  writeFileSync(join(project, "secrets"), "METRICS_TOKEN=too-short-a-token\n");
  for (const flags of [[], ["--dry-run"]]) {
    const { code, text } = await deploy([...flags, "--secrets-file", "secrets"]);
    expect(code).toBe(1);
    expect(text).toContain("RETENTION_DAYS must be a whole number from 1 to 3650");
    expect(text).toContain("BRAND_COLOR must be a colour like");
    expect(text).toContain("METRICS_TOKEN must be at least 32 random characters");
    expect(text).toContain("LOG_LEVL is not a setting");
    expect(text).toContain("Nothing was changed.");
    expect(text).not.toContain("too-short-a-token");
  }
  expect(api.state()).toEqual({ databases: [], queues: {}, schedules: "", versions: [], secrets: [] });
  expect(idsInToml()).toEqual([NO_ID]);
});

test("a secret counts as set when Cloudflare has it or this deployment brings it", async () => {
  setVars({ TURNSTILE_SITE_KEY: "a-site-key" });
  await expect(carryOut()).rejects.toThrow("TURNSTILE_SITE_KEY and TURNSTILE_SECRET must both be set");
  const secrets = { TURNSTILE_SECRET: "a-secret" };
  expect(await carryOut({ secrets })).toMatchObject({ failure: null });
  api.secrets.push("TURNSTILE_SECRET");
  expect(await carryOut()).toMatchObject({ calls: [migrate("DB"), ["triggers", "deploy"]], failure: null });
  // With secrets to set, the version that runs is deployed again.
  const [tag] = api.versions;
  expect((await carryOut({ secrets })).calls.at(-1)).toEqual([
    "deploy",
    "--tag",
    tag,
    "--secrets-file",
    "secrets.json",
  ]);
});

test("SECRET_KEYS of the environment are checked before they are uploaded", async () => {
  process.env.SECRET_KEYS = "0123456789".repeat(4);
  try {
    await expect(carryOut()).rejects.toThrow("SECRET_KEYS must be a comma-separated list of secrets");
  } finally {
    delete process.env.SECRET_KEYS;
  }
  expect(api.state().databases).toEqual([]);
});

test(
  "a deployment that fails after the Worker was replaced names the version to go back to",
  async () => {
    await carryOut();
    const before = await Account.open().then((account) => account.runningVersion("postern"));
    health.failures = 1000;
    setVars({ RETENTION_DAYS: "31" });
    const { code, text } = await deploy();
    expect([code, text]).toEqual([1, expect.stringContaining("does not answer 200")]);
    expect(text).toContain(`npx wrangler rollback ${before?.id}`);
    expect(text).toContain("do not revert them");
  },
  TIMEOUT_MS,
);

test("a deployment goes on where a failed one stopped, and repeating it changes nothing", async () => {
  expect(await carryOut({ failsAt: "d1" })).toMatchObject({
    calls: [migrate("DB")],
    failure: expect.stringContaining("Refused"),
  });
  const failed = await carryOut({ failsAt: "deploy" });
  const [tag] = api.versions;
  expect(failed).toMatchObject({
    calls: [migrate("DB"), ["deploy", "--tag", tag, "--secrets-file", "secrets.json"]],
    failure: expect.stringContaining("Refused"),
  });

  expect(await carryOut()).toEqual({ calls: [migrate("DB"), ["triggers", "deploy"]], failure: null });
  const state = api.state();
  expect(state).toMatchObject({ databases: [{ name: "postern", migrations: MIGRATIONS }], secrets: ["SECRET_KEYS"] });
  expect(await carryOut()).toEqual({ calls: [migrate("DB"), ["triggers", "deploy"]], failure: null });
  expect(api.state()).toEqual(state);
  expect(idsInToml()).toEqual([...api.databases.keys()]);
});

/** The consumers and producers in wrangler.toml of a queue, in a configuration that wrangler itself has read. */
function bindingsOf(queue: string) {
  const { producers = [], consumers = [] } = (readConfig({ config: join(project, "wrangler.toml") }) as Queues).queues;
  const { queue: _, ...settings } = consumers.find((consumer) => consumer.queue === queue) ?? {};
  return { bindings: producers.filter((producer) => producer.queue === queue).map(({ binding }) => binding), settings };
}

test("--add-shard adds a database with queues, which the same deployment migrates, creates and binds", async () => {
  await carryOut();
  const { calls, failure } = await carryOut({ addShard: true });
  expect(failure).toBeNull();
  expect(calls).toEqual([migrate("DB"), migrate("SHARD_1"), ["deploy", "--tag", api.versions[1]]]);
  expect(api.versions[1]).not.toBe(api.versions[0]);
  const databases = ["postern", "postern-shard-1"].map((name) => ({ name, migrations: MIGRATIONS }));
  expect(api.state()).toMatchObject({ databases, secrets: ["SECRET_KEYS"] });
  expect(idsInToml()).toEqual([...api.databases.keys()]);
  expect(toml()).toContain('binding = "SHARD_1"');
  for (const [end, binding] of [
    ["", "DELIVERY_QUEUE"],
    ["-slow", "SLOW_DELIVERY_QUEUE"],
  ]) {
    const first = bindingsOf(`postern-deliveries${end}`);
    expect(first).toMatchObject({ bindings: [binding], settings: { dead_letter_queue: "postern-deliveries-dead" } });
    expect(bindingsOf(`postern-deliveries-1${end}`)).toEqual({ ...first, bindings: [`${binding}_1`] });
  }
  expect(Object.keys(api.state().queues).toSorted()).toEqual(
    [...QUEUES, "postern-deliveries-1", "postern-deliveries-1-slow"].toSorted(),
  );
});

test("a failed --add-shard leaves a database and its queues for the next deployment without it", async () => {
  await carryOut();
  api.failsAt = "POST /queues";
  expect(await carryOut({ addShard: true })).toMatchObject({ calls: [], failure: expect.stringContaining("Refused") });
  const { calls, failure } = await carryOut();
  expect(failure).toBeNull();
  expect(calls).toEqual([migrate("DB"), migrate("SHARD_1"), ["deploy", "--tag", api.versions[1]]]);
  expect(Object.keys(api.state().queues)).toContain("postern-deliveries-1-slow");
});

test("--add-queues gives queues to the databases that have none, once", async () => {
  const shard = (number: number) =>
    `\n[[d1_databases]]\nbinding = "SHARD_${number}"\ndatabase_name = "s${number}"\ndatabase_id = ` +
    `"${NO_ID}"\nmigrations_dir = "migrations"\n`;
  writeFileSync(join(project, "wrangler.toml"), toml() + shard(1) + shard(4));
  await carryOut();
  expect(Object.keys(api.state().queues).toSorted()).toEqual(QUEUES.toSorted());
  expect((await carryOut({ addQueues: true })).failure).toBeNull();
  expect(bindingsOf("postern-deliveries-4-slow").bindings).toEqual(["SLOW_DELIVERY_QUEUE_4"]);
  expect(Object.keys(api.state().queues)).toHaveLength(QUEUES.length + 4);
  const written = toml();
  expect((await carryOut({ addQueues: true })).failure).toBeNull();
  expect(toml()).toBe(written);
});

test("a database of another account is refused by its id", async () => {
  const foreign = toml().replace(/^database_id = .*/m, 'database_id = "of-another-account"');
  writeFileSync(join(project, "wrangler.toml"), foreign);
  await expect(carryOut()).rejects.toThrow("of-another-account for DB");
  expect(api.state().databases).toEqual([]);
});
