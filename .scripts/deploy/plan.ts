/** The steps of a deployment: what is missing, in the order in which it is needed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newSecretKey } from "../secret-key.ts";
import { WORKER_ENTRY } from "../worker/source.ts";
import type { Account, RunningVersion } from "./account.ts";
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
import { checkSettings } from "./settings.ts";
import { tagOfSources } from "./tag.ts";
import type { Wrangler } from "./wrangler.ts";

interface Step {
  /** What it does, as an imperative sentence without a full stop. */
  does: string;
  /** Resolves with the text that wrangler printed, if the step runs wrangler. */
  run(): Promise<unknown>;
}

/** What a plan asks of an account. */
type Known = Pick<
  Account,
  "hasDatabase" | "databaseId" | "createDatabase" | "queueNames" | "createQueue" | "runningVersion"
> & {
  /** Resolves with undefined if Cloudflare was not asked. */
  secretNames(worker: string): Promise<ReadonlySet<string> | undefined>;
};

/** An account that cannot be asked: its databases are those with an id in wrangler.toml, and it has no queues. */
export const UNKNOWN_ACCOUNT: Known = {
  hasDatabase: async () => true,
  databaseId: async () => undefined,
  queueNames: async () => new Set(),
  secretNames: async () => undefined,
  runningVersion: async () => undefined,
  createDatabase: refuse,
  createQueue: refuse,
};

async function refuse(): Promise<never> {
  throw new Error("A dry run creates nothing.");
}

export interface Plan {
  /** The last one replaces the Worker. */
  steps: Step[];
  /** The version that is to be replaced; undefined if there is none. */
  running: RunningVersion | undefined;
  /** True if this deployment will generate `SECRET_KEYS`. */
  makesKeys: boolean;
}

/** What the command line asks for. */
interface Wishes {
  addShard: boolean;
  addQueues: boolean;
  /** Secrets that go up with the Worker, by name. */
  secrets: Record<string, string>;
}

/**
 * Compares the configuration with the account, and returns the steps that are left; some run `wrangler`. Throws when
 * the configuration and the account contradict each other, or when the Worker would refuse a setting.
 */
export async function makePlan(
  configuration: Configuration,
  account: Known,
  wrangler: Wrangler,
  { addShard, addQueues, secrets }: Wishes,
): Promise<Plan> {
  const kept = await account.secretNames(configuration.name);
  const hasKeys = kept?.has("SECRET_KEYS") ?? true;
  const { SECRET_KEYS: givenKeys } = { ...process.env, ...secrets };
  const uploaded = hasKeys ? secrets : { ...secrets, SECRET_KEYS: givenKeys ?? newSecretKey() };
  await checkSettings({ vars: configuration.vars, senders: configuration.senders, uploaded, kept });
  const added = addShard ? [nextShard(configuration.databases)] : [];
  const databases = [...configuration.databases, ...added];
  const queuesWith = missingPairs(added);
  const queuesAlone = addQueues ? missingPairs(configuration.databases) : [];
  const queues = await account.queueNames();
  const missing = [
    ...configuration.queues,
    ...[...queuesWith, ...queuesAlone].flatMap(({ fast, slow }) => [fast, slow]),
  ];
  const creations = await Promise.all(
    databases.map((database) => databaseSteps(account, database, added.includes(database) ? queuesWith : [])),
  );
  const running = await account.runningVersion(configuration.name);
  return {
    makesKeys: !hasKeys && givenKeys === undefined,
    running,
    steps: [
      ...creations.flat(),
      ...queuesAlone.map(pairStep),
      ...missing.filter((queue) => !queues.has(queue)).map((queue) => queueStep(account, queue)),
      ...databases.map((database) => migrationStep(wrangler, database)),
      deployStep(wrangler, uploaded, running?.tag),
    ],
  };
}

/** Reuses a database of this name that exists already: an earlier run may have ended before it could write the id. */
async function databaseSteps(account: Known, database: Database, pairs: readonly QueuePair[]): Promise<Step[]> {
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

const queueStep = (account: Known, queue: string): Step => ({
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
const deployStep = (wrangler: Wrangler, secrets: Record<string, string>, running: string | undefined): Step => ({
  does: "Deploy the Worker, unless this version of it is running",
  run: () => {
    // Not earlier: previous steps may have written ids into wrangler.toml.
    const tag = tagOfSources();
    if (Object.keys(secrets).length > 0) return deployWithSecrets(wrangler, tag, secrets);
    return tag === running ? wrangler("triggers", "deploy") : wrangler("deploy", WORKER_ENTRY, "--tag", tag);
  },
});

/** The Worker requires its secrets, so all go up together. Those that it has and `secrets` does not name stay. */
async function deployWithSecrets(wrangler: Wrangler, tag: string, secrets: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postern-deploy-"));
  try {
    const file = join(folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    return await wrangler("deploy", WORKER_ENTRY, "--tag", tag, "--secrets-file", file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
