/** Who shares a limit of a tenant. */

interface Caller {
  tenantId: string;
  platformKeyId?: string;
  feedId?: string;
}

/**
 * Whose requests are counted together: those of the members of a tenant, their keys and its portals. The product, and
 * whoever reads a feed with its token, have the same limit for themselves, so that no member can use it up for them.
 */
export function sharersOf({ tenantId, platformKeyId, feedId }: Caller): string {
  if (platformKeyId !== undefined) return `${tenantId} platform`;
  return feedId === undefined ? tenantId : `${tenantId} feed`;
}
