/** Work that many callers want at the same time and only one of them does. */
import { isWorkers } from "../is-workers";

/** How often a request in Workers looks whether another one has done the work. */
const LOOK_MS = 5;

interface Flight {
  done: Promise<void>;
  isOver: boolean;
  failure?: { error: unknown };
}

/**
 * Returns a function that does `work`, or waits for it if it is under way. Its failure is that of all who wait. In
 * Workers, a request must not await what another one does: it looks again with a timer of its own, and after
 * `patienceMs` does the work itself, because the other request may have been cancelled.
 */
export function singleFlight(work: () => Promise<void>, patienceMs: number): () => Promise<void> {
  let current: Flight | undefined;

  const start = (): Promise<void> => {
    const flight: Flight = { done: Promise.resolve(), isOver: false };
    current = flight;
    flight.done = work()
      .catch((error: unknown) => {
        flight.failure = { error };
        throw error;
      })
      .finally(() => {
        flight.isOver = true;
        if (current === flight) current = undefined;
      });
    return flight.done;
  };

  const join = async (flight: Flight): Promise<void> => {
    if (!isWorkers()) return flight.done;
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += LOOK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (flight.failure) throw flight.failure.error;
      if (flight.isOver) return;
    }
    await start();
  };

  return () => (current ? join(current) : start());
}
