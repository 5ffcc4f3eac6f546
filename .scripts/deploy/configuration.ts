/** The part of wrangler.toml that a deployment needs, and what it writes into it. */
import { readFileSync, writeFileSync } from "node:fs";
import { unstable_readConfig as readConfig } from "wrangler";
import { hasPair, pairOf, type QueuePair, withPair } from "./queue-pairs.ts";

const FILE = "wrangler.toml";
/** Stands in for the id of a database that does not exist yet. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";

export interface Database {
  /** `DB` or `SHARD_n`. */
  binding: string;
  name: string;
  /** Undefined until the database is created. */
  id: string | undefined;
}

export interface Configuration {
  /** The name of the Worker. */
  name: string;
  databases: Database[];
  queues: string[];
  /** The addresses that the Worker may send from; undefined: any of the account. */
  senders: string[] | undefined;
  vars: Record<string, unknown>;
}

/** The members that are read here. Wrangler's own types are in a package that it does not publish. */
interface WranglerConfig {
  name?: string;
  d1_databases: { binding: string; database_name?: string; database_id?: string }[];
  queues: { producers?: { queue: string }[]; consumers?: { queue: string; dead_letter_queue?: string }[] };
  send_email?: { name: string; allowed_sender_addresses?: string[] }[];
  vars: Record<string, unknown>;
}

export function readConfiguration(): Configuration {
  const config: WranglerConfig = readConfig({ config: FILE });
  const { producers = [], consumers = [] } = config.queues;
  const queues = [...producers, ...consumers].map(({ queue }) => queue);
  const dead = consumers.flatMap(({ dead_letter_queue: name }) => name ?? []);
  return {
    name: config.name ?? "postern",
    databases: config.d1_databases.map(({ binding, database_name: name = binding, database_id: id = NO_ID }) => ({
      binding,
      name,
      id: id === NO_ID ? undefined : id,
    })),
    queues: [...new Set([...queues, ...dead])],
    senders: config.send_email?.find(({ name }) => name === "EMAIL")?.allowed_sender_addresses,
    vars: config.vars,
  };
}

/** The next delivery database after those in `databases`. */
export function nextShard(databases: readonly Database[]): Database {
  const number = Math.max(...databases.map(numberOf)) + 1;
  const main = databases.find(({ binding }) => binding === "DB")?.name ?? "postern";
  return { binding: `SHARD_${number}`, name: `${main}-shard-${number}`, id: undefined };
}

const numberOf = ({ binding }: Database): number => Number(binding.match(/^SHARD_(\d+)$/)?.[1] ?? 0);

/** The pairs of queues that databases besides `DB` do not have yet. */
export function missingPairs(databases: readonly Database[]): QueuePair[] {
  const toml = readFileSync(FILE, "utf8");
  const numbers = databases.map(numberOf).filter((number) => number > 0 && !hasPair(toml, number));
  return numbers.map((number) => pairOf(toml, number));
}

/** Adds queues to wrangler.toml. */
export function writePair(pair: QueuePair): void {
  writeFileSync(FILE, withPair(readFileSync(FILE, "utf8"), pair));
}

/**
 * Writes the id of a database into its section, or adds a section for it after the last one, and its queues: all at
 * once, because the section is what a repeated deployment goes by.
 */
export function writeDatabase({ binding, name }: Database, id: string, pairs: readonly QueuePair[]): void {
  const sections = readFileSync(FILE, "utf8").split(/^(?=\[)/m);
  const isDatabase = (section: string) => section.startsWith("[[d1_databases]]");
  const own = sections.findIndex(
    (section) => isDatabase(section) && new RegExp(`^binding = "${binding}"`, "m").test(section),
  );
  if (own >= 0) sections[own] = (sections[own] ?? "").replace(/^(database_id = ").*"/m, `$1${id}"`);
  else {
    const lines = [
      `binding = "${binding}"`,
      `database_name = "${name}"`,
      `database_id = "${id}"`,
      `migrations_dir = "migrations"`,
    ];
    sections.splice(sections.findLastIndex(isDatabase) + 1, 0, `[[d1_databases]]\n${lines.join("\n")}\n\n`);
  }
  writeFileSync(FILE, pairs.reduce(withPair, sections.join("")));
}
