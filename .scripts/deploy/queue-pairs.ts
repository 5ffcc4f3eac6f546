/** The queues of deliveries in wrangler.toml: a pair for `DB`, and one for each other database that has its own. */

export interface QueuePair {
  /** The number of its delivery database. */
  number: number;
  fast: string;
  slow: string;
}

const FIRST = { fast: "DELIVERY_QUEUE", slow: "SLOW_DELIVERY_QUEUE" } as const;

/**
 * The queues of the database `SHARD_<number>`, named after the first pair in `toml`. The consumer knows slow ones by
 * their end.
 */
export function pairOf(toml: string, number: number): QueuePair {
  const fast = `${firstQueue(toml, "fast")}-${number}`;
  return { number, fast, slow: `${fast}-slow` };
}

export const hasPair = (toml: string, number: number): boolean =>
  sectionsOf(toml).some((section) => isProducer(section, `${FIRST.fast}_${number}`));

/** Returns `toml` with a producer and a consumer for both queues. The consumers have the settings of the first pair. */
export function withPair(toml: string, pair: QueuePair): string {
  const sections = sectionsOf(toml);
  for (const speed of ["fast", "slow"] as const) {
    const first = firstQueue(toml, speed);
    const consumer = sections.find((section) => isConsumer(section) && queueOf(section) === first);
    if (consumer === undefined) throw new Error(`wrangler.toml has no consumer for the queue ${first}.`);
    const producer = `[[queues.producers]]\nbinding = "${FIRST[speed]}_${pair.number}"\nqueue = "${pair[speed]}"`;
    sections.push(`\n${producer}\n`, `\n${settingsOf(consumer).replace(`"${first}"`, `"${pair[speed]}"`)}\n`);
  }
  return sections.join("");
}

const sectionsOf = (toml: string): string[] => toml.split(/^(?=\[)/m);
const isConsumer = (section: string) => section.startsWith("[[queues.consumers]]");
const isProducer = (section: string, binding: string) =>
  section.startsWith("[[queues.producers]]") && new RegExp(`^binding = "${binding}"`, "m").test(section);
const queueOf = (section: string) => section.match(/^queue = "(.*)"/m)?.[1];

function firstQueue(toml: string, speed: keyof typeof FIRST): string {
  const producer = sectionsOf(toml).find((section) => isProducer(section, FIRST[speed]));
  const queue = producer && queueOf(producer);
  if (!queue) throw new Error(`wrangler.toml has no queue for ${FIRST[speed]}.`);
  return queue;
}

/** A section without comments, which may belong to the next one. */
const settingsOf = (section: string): string =>
  section
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .join("\n");
