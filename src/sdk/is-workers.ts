/** Whether this is a Worker, where a request must not wait for what another one does. */
export const isWorkers = (): boolean =>
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === "Cloudflare-Workers";
