/** How a subscription's signing secret is encrypted at rest. */

/** The associated data that binds an encrypted secret to its subscription. */
export const secretOwner = (subscriptionId: string) => `subscription:${subscriptionId}`;
