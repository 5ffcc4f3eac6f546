/** The plan of a deployment, carried out without starting wrangler. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { NO_ID } from "../../.scripts/deploy/configuration.ts";
import { WORKER_ENTRY } from "../../.scripts/worker/source.ts";
import {
  api,
  beginDeployment,
  carryOut,
  endDeployment,
  idsInToml,
  MIGRATIONS,
  migrate,
  project,
  QUEUES,
  type Queues,
  setVars,
  toml,
} from "../support/deployment.ts";

beforeEach(beginDeployment);
afterEach(endDeployment);

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
    WORKER_ENTRY,
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

test("the addresses that the Worker may send from must have that of MAIL_FROM", async () => {
  const allow = (address: string) =>
    writeFileSync(
      join(project, "wrangler.toml"),
      toml().replace(/name = "EMAIL"\n(allowed.*\n)?/, `name = "EMAIL"\nallowed_sender_addresses = ["${address}"]\n`),
    );
  allow("somebody@example.com");
  await expect(carryOut()).rejects.toThrow("must have the address of MAIL_FROM, no-reply@example.com");
  allow("no-reply@example.com");
  expect(await carryOut()).toMatchObject({ failure: null });
});

test("a deployment goes on where a failed one stopped, and repeating it changes nothing", async () => {
  expect(await carryOut({ failsAt: "d1" })).toMatchObject({
    calls: [migrate("DB")],
    failure: expect.stringContaining("Refused"),
  });
  const failed = await carryOut({ failsAt: "deploy" });
  const [tag] = api.versions;
  expect(failed).toMatchObject({
    calls: [migrate("DB"), ["deploy", WORKER_ENTRY, "--tag", tag, "--secrets-file", "secrets.json"]],
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

test("--add-shard adds a database with queues and their limits, which the same deployment migrates, creates and binds", async () => {
  await carryOut();
  const { calls, failure } = await carryOut({ addShard: true });
  expect(failure).toBeNull();
  expect(calls).toEqual([migrate("DB"), migrate("SHARD_1"), ["deploy", WORKER_ENTRY, "--tag", api.versions[1]]]);
  expect(api.versions[1]).not.toBe(api.versions[0]);
  const databases = ["postern", "postern-shard-1"].map((name) => ({ name, migrations: MIGRATIONS }));
  expect(api.state()).toMatchObject({ databases, secrets: ["SECRET_KEYS"] });
  expect(idsInToml()).toEqual([...api.databases.keys()]);
  expect(toml()).toContain('binding = "SHARD_1"');
  // Without a limit, the platform runs up to 250 batches of a queue at once, whose claims wait for each other.
  for (const [end, binding, batchesAtOnce] of [
    ["", "DELIVERY_QUEUE", 20],
    ["-slow", "SLOW_DELIVERY_QUEUE", 100],
  ] as const) {
    const first = bindingsOf(`postern-deliveries${end}`);
    const settings = { dead_letter_queue: "postern-deliveries-dead", max_concurrency: batchesAtOnce };
    expect(first).toMatchObject({ bindings: [binding], settings });
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
  expect(calls).toEqual([migrate("DB"), migrate("SHARD_1"), ["deploy", WORKER_ENTRY, "--tag", api.versions[1]]]);
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
