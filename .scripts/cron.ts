/** Cron triggers, which Miniflare does not fire by itself. */
import type { Miniflare } from "miniflare";

/**
 * Fires a trigger of the first Worker, which needs the option `unsafeTriggerHandlers`. It uses HTTP, because
 * `getWorker().scheduled()` blocks this thread until workerd answers, and workerd may be waiting for this thread to
 * read its log. Throws when the handler fails.
 */
export async function fireCron(miniflare: Miniflare, cron: string): Promise<void> {
  const path = `/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
  const response = await miniflare.dispatchFetch(new URL(path, "http://localhost"));
  const text = await response.text();
  if (!response.ok) throw new Error(`cron ${cron}: ${response.status} ${text.slice(0, 300)}`);
}
