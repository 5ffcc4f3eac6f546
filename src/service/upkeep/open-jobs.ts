/**
 * The open jobs of an upkeep object: their names in order, and the cursor of each under a key of its own, because a
 * value has at most 2 MB. A cursor that is "" is not stored.
 */
import type { OpenJob } from "./run-jobs";

const NAMES_KEY = "jobs";
/** Where versions before had all jobs in one value. */
const FORMER_KEY = "open";

const keyOf = ({ name }: OpenJob): string => `cursor:${name}`;

/** The jobs that are not finished. */
export async function readOpenJobs(storage: DurableObjectStorage): Promise<OpenJob[]> {
  const names = await storage.get<string[]>(NAMES_KEY);
  if (names === undefined) return takeFormer(storage);
  const jobs = names.map((name) => ({ name, cursor: "" }));
  const cursors = await storage.get<string>(jobs.map(keyOf));
  return jobs.map((job) => ({ ...job, cursor: cursors.get(keyOf(job)) ?? "" }));
}

async function takeFormer(storage: DurableObjectStorage): Promise<OpenJob[]> {
  const jobs = (await storage.get<OpenJob[]>(FORMER_KEY)) ?? [];
  await storeOpenJobs(storage, [], jobs);
  // Last: if storing fails, nothing is lost.
  await storage.delete(FORMER_KEY);
  return jobs;
}

/** Stores the jobs that are left. Writes only the cursors that have changed. `before`: what is stored. */
export async function storeOpenJobs(
  storage: DurableObjectStorage,
  before: readonly OpenJob[],
  jobs: readonly OpenJob[],
): Promise<void> {
  const former = new Map(before.map((job) => [keyOf(job), job.cursor]));
  const present = jobs.filter(({ cursor }) => cursor !== "");
  const changed = present.filter((job) => former.get(keyOf(job)) !== job.cursor);
  const kept = new Set(present.map(keyOf));
  const gone = before.filter((job) => job.cursor !== "" && !kept.has(keyOf(job)));
  const written = { [NAMES_KEY]: jobs.map(({ name }) => name) };
  await Promise.all([
    storage.delete(gone.map(keyOf)),
    storage.put({ ...written, ...Object.fromEntries(changed.map((job) => [keyOf(job), job.cursor])) }),
  ]);
}
