/** Which tenant, and where its rows are. */

/** The id of the tenant that stands for the platform as a whole. Operators act in it; nobody is a member. */
export const PLATFORM_TENANT = "platform";

/** A tenant and the delivery database that holds its subscriptions, events and deliveries. */
export interface TenantRef {
  tenantId: string;
  /** 0 is `DB`, n is the binding `SHARD_n`. */
  shard: number;
  /** After a move, the database that has what was published before it; null or missing otherwise. */
  formerShard?: number | null;
}
