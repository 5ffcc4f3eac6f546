/** Stopping when a person, a process manager or npm asks for it. */
const PARENT_POLL_MS = 500;

/** Calls `stop` on Ctrl-C, SIGTERM and SIGHUP, and when the parent process has ended. It may call more than once. */
export function onStop(stop: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // A signal to npm ends the shell between npm and this process without a signal to this process, which only gets a new parent.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_MS).unref();
}
