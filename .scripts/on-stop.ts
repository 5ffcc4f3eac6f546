/** Stopping when a person, a process manager or npm asks for it. */
const PARENT_POLL_MS = 500;

/** Calls `stop` on Ctrl-C, SIGTERM and SIGHUP, and when the parent process has ended. It may call more than once. */
export function onStop(stop: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // When npm is killed by SIGKILL, it passes no signal on: this process only gets a new parent.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_POLL_MS).unref();
}
