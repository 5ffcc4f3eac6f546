/** Tells of the end that a person, a process manager or npm wants. */
const PARENT_POLL_MS = 500;

/** Calls `stop` at Ctrl-C, SIGTERM, SIGHUP, and when the parent has ended; maybe several times. */
export function onStop(stop: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // A signal to npm ends the shell between npm and us without telling us: a new parent is the sign of it.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_MS).unref();
}
