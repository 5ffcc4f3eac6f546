/** A batch that changes the subscriptions of a tenant. */
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { unlessDeparted } from "../../tenancy/moves/fence";
import { refuseDeparted } from "../../tenancy/moves/fence-store";

/**
 * Runs named statements like `atomically`, in the delivery database of the tenant. Throws TenantIsMoving, and does
 * nothing, if the tenant leaves or has left that database.
 */
export const writeBatch = <S extends Parameters<typeof atomically>[1]>(
  { shards }: Pick<Deps, "shards">,
  { tenantId, shard }: TenantRef,
  statements: S,
): ReturnType<typeof atomically<S>> =>
  // First: statements that record a change look at what the one before them has changed.
  unlessDeparted(tenantId, () =>
    atomically(shards.db(shard), { unmoved: refuseDeparted(tenantId), ...statements }),
  ) as ReturnType<typeof atomically<S>>;
