import type { Client } from "postern/client";

/** The share of attempts that failed in the last hours, and the subscriptions to look at, worst first. */
export async function health(postern: Client, hours: number) {
  const { success, failed, attention } = await postern.stats.get({ hours });
  return { failedShare: failed / Math.max(success + failed, 1), lookAt: attention.map(({ name }) => name) };
}
