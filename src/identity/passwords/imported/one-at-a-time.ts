/** One imported hash at a time in an isolate: each takes up to eight seconds of CPU and 128 MiB. */
import { unavailable } from "../../../base/errors";

const MAX_WAIT_MS = 3_000;
const POLL_MS = 20;
/** A request that is cancelled never says that it has ended. No hash takes that long. */
const ABANDONED_AFTER_MS = 10_000;

let busySince: number | null = null;

/** Runs `hash` when no other one runs. Throws SERVICE_UNAVAILABLE after 3 seconds of waiting. */
export async function oneAtATime<T>(hash: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + MAX_WAIT_MS;
  // Waiting requests look again by themselves: a request cannot wait for what another one does.
  while (busySince !== null && Date.now() - busySince < ABANDONED_AFTER_MS) {
    if (Date.now() >= deadline) throw unavailable({ message: "Too many sign-ins at once. Try again." });
    await scheduler.wait(POLL_MS);
  }
  const mine = Date.now();
  busySince = mine;
  try {
    return await hash();
  } finally {
    if (busySince === mine) busySince = null;
  }
}
