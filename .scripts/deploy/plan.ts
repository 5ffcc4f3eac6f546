/** The steps of a deployment: what is missing, in the order in which it is needed. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./account.ts";
import {
  type Configuration,
  type Database,
  missingPairs,
  NO_ID,
  nextShard,
  writeDatabase,
  writePair,
} from "./configuration.ts";
import type { QueuePair } from "./queue-pairs.ts";
import { tagOfSources } from "./tag.ts";
import type { Wrangler } from "./wrangler.ts";

interface Step {
  /** What it does, as an imperative sentence without a full stop. */
  does: string;
  /** Resolves with the text that wrangler printed, if the step runs wrangler. */
  run(): Promise<unknown>;
}

export interface Plan {
  steps: Step[];
  /** True if this deployment will generate `SECRET_KEYS`. */
  makesKeys: boolean;
}

/**
 * Compares the configuration with the account, and returns the steps that are left; some run `wrangler`. Throws when
 * the configuration and the account contradict each other.
 */
export async function makePlan(
  configuration: Configuration,
  account: Account,
  wrangler: Wrangler,
  { addShard, addQueues }: { addShard: boolean; addQueues: boolean },
): Promise<Plan> {
  const added = addShard ? [nextShard(configuration.databases)] : [];
  const databases = [...configuration.databases, ...added];
  const queuesWith = missingPairs(added);
  const queuesAlone = addQueues ? missingPairs(configuration.databases) : [];
  const queues = await account.queueNames();
  const missing = [
    ...configuration.queues,
    ...[...queuesWith, ...queuesAlone].flatMap(({ fast, slow }) => [fast, slow]),
  ];
  const hasKeys = await account.hasSecret(configuration.name, "SECRET_KEYS");
  const creations = await Promise.all(
    databases.map((database) => databaseSteps(account, database, added.includes(database) ? queuesWith : [])),
  );
  return {
    makesKeys: !hasKeys && process.env.SECRET_KEYS === undefined,
    steps: [
      ...creations.flat(),
      ...queuesAlone.map(pairStep),
      ...missing.filter((queue) => !queues.has(queue)).map((queue) => queueStep(account, queue)),
      ...databases.map((database) => migrationStep(wrangler, database)),
      deployStep(wrangler, hasKeys, await account.runningTag(configuration.name)),
    ],
  };
}

/** Reuses a database of this name that exists already: an earlier run may have ended before it could write the id. */
async function databaseSteps(account: Account, database: Database, pairs: readonly QueuePair[]): Promise<Step[]> {
  const { binding, name, id } = database;
  if (id !== undefined) {
    if (await account.hasDatabase(id)) return [];
    throw new Error(
      `wrangler.toml names the database ${id} for ${binding}, which this account does not have. Log in to the ` +
        `account that has it, or set database_id to ${NO_ID} to create one.`,
    );
  }
  const write = async () => {
    const created = await account.databaseId(name);
    if (created === undefined) throw new Error(`The account has no database ${name}.`);
    writeDatabase(database, created, pairs);
  };
  const isThere = (await account.databaseId(name)) !== undefined;
  return [
    ...(isThere ? [] : [{ does: `Create the database ${name}`, run: () => account.createDatabase(name) }]),
    { does: `Write the id of ${name} into wrangler.toml`, run: write },
  ];
}

const pairStep = (pair: QueuePair): Step => ({
  does: `Write queues for SHARD_${pair.number} into wrangler.toml`,
  run: async () => writePair(pair),
});

const queueStep = (account: Account, queue: string): Step => ({
  does: `Create the queue ${queue}`,
  run: () => account.createQueue(queue),
});

const migrationStep = (wrangler: Wrangler, { binding }: Database): Step => ({
  does: `Apply the migrations that ${binding} lacks`,
  run: () => wrangler("d1", "migrations", "apply", binding, "--remote"),
});

/**
 * A version that runs already gets only its routes, crons and queue consumers: an earlier run may have ended before
 * setting them.
 */
const deployStep = (wrangler: Wrangler, hasKeys: boolean, running: string | undefined): Step => ({
  does: "Deploy the Worker, unless this version of it is running",
  run: () => {
    // Not earlier: previous steps may have written ids into wrangler.toml.
    const tag = tagOfSources();
    if (!hasKeys) return deployWithKeys(wrangler, tag);
    return tag === running ? wrangler("triggers", "deploy") : wrangler("deploy", "--tag", tag);
  },
});

/** The Worker requires its secret, so both go up together. */
async function deployWithKeys(wrangler: Wrangler, tag: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postern-deploy-"));
  try {
    const file = join(folder, "secrets.json");
    const keys = process.env.SECRET_KEYS ?? randomBytes(32).toString("hex");
    writeFileSync(file, JSON.stringify({ SECRET_KEYS: keys }), { mode: 0o600 });
    return await wrangler("deploy", "--tag", tag, "--secrets-file", file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
