/** How the signing secret of a subscription is encrypted at rest. */

/** Returns the associated data that binds an encrypted secret to its subscription: copied to another row, it cannot be decrypted. */
export const secretOwner = (subscriptionId: string) => `subscription:${subscriptionId}`;
