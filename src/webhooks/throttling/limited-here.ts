/**
 * The subscriptions that this isolate knows to be limited. Their deliveries go straight to their gates, in bulk, and do
 * not hold up the claims of others.
 */

/** Bounds the memory. */
const MAX_KNOWN = 10_000;
const known = new Set<string>();

export function noteLimited(subscriptionId: string): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(subscriptionId);
}

export const isLimitedHere = (subscriptionId: string): boolean => known.has(subscriptionId);

export function forgetLimited(subscriptionId: string): void {
  known.delete(subscriptionId);
}
