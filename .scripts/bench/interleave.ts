/** Contestants take turns, round by round, so that the drift of a shared machine affects all of them alike. */
import { closedLoop, type Operation, type Sample } from "./load.ts";
import { median, percentile } from "./statistics.ts";

/** A turn ends after this time: a busy machine measures less, not for longer. */
const TURN_MS = 800;

export interface Turn {
  operation: Operation;
  /** Requests per round. */
  count: number;
}

export interface Measured {
  operation: string;
  count: number;
  opsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** The samples of each round, in order. */
  rounds: Sample[];
}

export interface Rounds {
  rounds: number;
  concurrency: number;
}

/** Runs a warm-up round with a fifth of the requests, then `rounds` rounds in which each contestant has one turn. */
export async function interleave(turns: readonly Turn[], { rounds, concurrency }: Rounds): Promise<Measured[]> {
  const samples = turns.map((): Sample[] => []);
  const next = turns.map(() => 0);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { operation, count }] of turns.entries()) {
      const requests = round === 0 ? Math.max(concurrency, Math.ceil(count / 5)) : count;
      const from = next[index] ?? 0;
      const sample = await closedLoop(operation, { from, count: requests, concurrency, maxMs: TURN_MS });
      next[index] = from + requests;
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return turns.map(({ operation }, index) => summary(operation.name, samples[index] ?? []));
}

function summary(operation: string, rounds: Sample[]): Measured {
  const latenciesMs = rounds.flatMap((round) => round.latenciesMs);
  return {
    operation,
    count: latenciesMs.length,
    opsPerSecond: median(rounds.map((round) => round.opsPerSecond)),
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    rounds,
  };
}

export interface Ratio {
  /** Median, smallest and largest of the pairs. */
  median: number;
  min: number;
  max: number;
}

/** Returns the ratio of `measured` to `reference`, round by round, by their ops/s or by what `figureOf` returns. */
export function ratioOf(
  measured: readonly Sample[],
  reference: readonly Sample[],
  figureOf: (sample: Sample) => number = ({ opsPerSecond }) => opsPerSecond,
): Ratio {
  const ratios = measured.flatMap((sample, round) => {
    const other = reference[round];
    return other ? [figureOf(sample) / figureOf(other)] : [];
  });
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
}
