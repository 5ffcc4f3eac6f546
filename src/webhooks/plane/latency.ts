/** A histogram of latencies, and its percentiles. */

/** The lower bounds of the buckets in ms. The last bucket has the timeouts. */
export const BUCKET_STARTS_MS = [0, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** The number of attempts in each bucket. */
export type Histogram = readonly number[];

/** Returns the histogram of latencies in ms; what is null counts in no bucket. */
export const histogramOf = (latenciesMs: readonly (number | null)[]): Histogram =>
  BUCKET_STARTS_MS.map((startMs, bucket) => {
    const endMs = BUCKET_STARTS_MS[bucket + 1] ?? Number.POSITIVE_INFINITY;
    return latenciesMs.filter((ms) => ms !== null && ms >= startMs && ms < endMs).length;
  });

/** Returns the sum of histograms. */
export const addUp = (histograms: readonly Histogram[]): Histogram =>
  BUCKET_STARTS_MS.map((_, bucket) => histograms.reduce((sum, histogram) => sum + (histogram[bucket] ?? 0), 0));

/**
 * Returns the latency in ms that `share` (0 to 1) of the attempts did not exceed, or null without attempts. Assumes
 * that latencies are spread evenly within a bucket. In the last bucket, returns its lower bound.
 */
export function percentileMs(histogram: Histogram, share: number): number | null {
  const wanted = share * histogram.reduce((sum, count) => sum + count, 0);
  if (wanted === 0) return null;
  let before = 0;
  for (const [bucket, startMs] of BUCKET_STARTS_MS.entries()) {
    const count = histogram[bucket] ?? 0;
    const endMs = BUCKET_STARTS_MS[bucket + 1] ?? startMs;
    if (count > 0 && before + count >= wanted) {
      return Math.round(startMs + ((wanted - before) / count) * (endMs - startMs));
    }
    before += count;
  }
  return BUCKET_STARTS_MS.at(-1) ?? null;
}
