/**
 * The sums of those who have the most, in bounded memory, however many there are: Misra and Gries, "Finding repeated
 * elements" (1982), with weights.
 */

/** Sums by id. */
export type Sums = Readonly<Record<string, number>>;

/** A sum is too low by the total divided by this number at most: by 5 MB in a database of 10 GB. */
const KEPT = 2_000;

/** Adds amounts to sums. While there are too many, all get less by the same amount, and those that are used up end. */
export function addTo(sums: Sums, amounts: readonly (readonly [id: string, amount: number])[], kept = KEPT): Sums {
  const added = new Map(Object.entries(sums));
  for (const [id, amount] of amounts) added.set(id, (added.get(id) ?? 0) + amount);
  if (added.size <= 2 * kept) return Object.fromEntries(added);
  const less = [...added.values()].sort((a, b) => b - a)[kept] ?? 0;
  return Object.fromEntries([...added].map(([id, sum]) => [id, sum - less] as const).filter(([, sum]) => sum > 0));
}
