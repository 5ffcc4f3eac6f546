import type { Client } from "postern/client";

/** Subscribes a URL. The secret is for `verifyDelivery` of `postern/verify`. */
export async function subscribe(postern: Client, url: string) {
  const secret = `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
  const { _id } = await postern.webhooks.create({
    name: "billing",
    url,
    secret,
    events: ["OrderPaid", "OrderRefunded"],
    delivery: { rateLimit: { limit: 10, per: "second" } },
  });
  return { id: _id, secret };
}

/** Counts why deliveries have failed since a time. */
export async function failuresSince(postern: Client, id: string, since: string): Promise<Map<string, number>> {
  const reasons = new Map<string, number>();
  for await (const { error = "unknown" } of postern.webhooks.logPage(id, { status: "failed", since })) {
    reasons.set(error, (reasons.get(error) ?? 0) + 1);
  }
  return reasons;
}

/**
 * Moves to another URL and resends, in the background, what failed in the last day. Returns the number of these
 * deliveries.
 */
export async function moveTo(postern: Client, id: string, url: string): Promise<number> {
  await postern.webhooks.update(id, { url });
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const { matched } = await postern.webhooks.previewReplay(id, { since, which: "failed" });
  if (matched > 0) await postern.webhooks.replay(id, { since, which: "failed" });
  return matched;
}

/** Replaces the secret. The old one also signs for another day, which gives the subscriber time to change it. */
export async function rotate(postern: Client, id: string): Promise<string> {
  const { data } = await postern.webhooks.rotateSecret(id);
  return data.secret;
}
