/** What a write to the database that a tenant leaves, or has left, is answered. */
import { violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";

/** By then a move has usually copied what it must. */
const RETRY_AFTER_SECONDS = 1;

/** A write met the fence of a move. */
export class TenantIsMoving extends AppError {
  constructor(
    readonly tenantId: string,
    cause: unknown,
  ) {
    super("SERVICE_UNAVAILABLE", {
      message: "The data of this tenant is being moved. Try again in a few seconds.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    });
  }
}

/** Makes a call with `refuseDeparted` in its batch. Throws TenantIsMoving if that fails it. */
export async function unlessDeparted<T>(tenantId: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, "UNIQUE", "departed_tenants.tenant_id")) throw error;
    throw new TenantIsMoving(tenantId, error);
  }
}

/** A fence stands for a second, twice at the most, and a sealed one until its move goes on. */
const WAITED_MS = 6_000;
const PAUSE_MS = 200;

/**
 * Repeats a write that meets the fence of a move, for those who do not try again by themselves. `write` must look up
 * where the tenant is. Throws TenantIsMoving after some seconds.
 */
export async function onceMoved<T>({ now }: Pick<Deps, "now">, write: () => Promise<T>): Promise<T> {
  const endMs = now() + WAITED_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TenantIsMoving) || now() > endMs) throw error;
      await scheduler.wait(PAUSE_MS);
    }
  }
}
