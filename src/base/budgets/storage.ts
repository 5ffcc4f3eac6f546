/** What a tenant may store, and when a database is so full that it takes no more events. */
import { StaleCaller } from "../db/recheck";
import { MAX_SHARD_BYTES } from "../db/shard-sizes-store";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import type { TenantStanding } from "../schemas/principal";

/** Beyond this, a database refuses what tenants write, so that number 0 keeps room for sign-in. */
const REFUSES_WRITES_AT = 0.95;
/** The sizes are counted once an hour. */
const RETRY_AFTER_SECONDS = 3_600;
const MIB = 1024 * 1024;

/**
 * Refuses an event for which there is no room. Throws SERVICE_UNAVAILABLE when the database is full, or StaleCaller for
 * a remembered caller, and RATE_LIMITED when the tenant stores more than TENANT_STORED_MIB.
 */
export function refuseWhenFull({ config }: Pick<Deps, "config">, tenant: TenantStanding): void {
  const { storedBytes = 0 } = tenant;
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  refuseInFullDatabase(tenant);
  if (storedBytes > config.tenantStoredMib * MIB) {
    const limit = `${config.tenantStoredMib} MiB (TENANT_STORED_MIB)`;
    const message = `The tenant stores more than ${limit}. The oldest events and deliveries end with the retention.`;
    throw new AppError("RATE_LIMITED", { message, retryAfterSeconds });
  }
}

/** Other writes than events are refused when the tenant stores this many times what it may. */
const REFUSES_OTHERS_AT = 2;

/**
 * Refuses a write other than an event, in a database that is nearly full and of a tenant that stores far too much:
 * events stop earlier, so it has filled its storage with other things. Throws as `refuseWhenFull` does.
 */
export function refuseOtherWriteWhenFull({ config }: Pick<Deps, "config">, tenant: TenantStanding): void {
  const { storedBytes = 0, recheck } = tenant;
  refuseInFullDatabase(tenant);
  const most = REFUSES_OTHERS_AT * config.tenantStoredMib;
  if (storedBytes <= most * MIB) return;
  if (recheck) throw new StaleCaller("only what is read refuses");
  const message = `The tenant stores more than ${most} MiB, twice TENANT_STORED_MIB. It can only delete.`;
  throw new AppError("RATE_LIMITED", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Refuses a write in a database that is nearly full. Throws SERVICE_UNAVAILABLE, or StaleCaller as above. */
function refuseInFullDatabase({ databaseBytes = 0, recheck }: TenantStanding): void {
  if (databaseBytes <= REFUSES_WRITES_AT * MAX_SHARD_BYTES) return;
  // A remembered caller may have lost its right: only one that is read is told that the database is full.
  if (recheck) throw new StaleCaller("only what is read refuses");
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  throw new AppError("SERVICE_UNAVAILABLE", { message: "The database is full. Try again later.", retryAfterSeconds });
}
