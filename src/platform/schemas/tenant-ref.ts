/** Which tenant, and where its rows are. */

/** A tenant and the delivery database that holds its subscriptions, events and deliveries. */
export interface TenantRef {
  tenantId: string;
  /** 0 is `DB`, n is the binding `SHARD_n`. */
  shard: number;
}
