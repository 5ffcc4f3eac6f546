/** What a write to the database that a tenant has left is answered. */
import { violates } from "../../base/db/client";
import { AppError } from "../../base/errors";

/** By then a move has usually copied what it must. */
const RETRY_AFTER_SECONDS = 1;

/** Makes a call with `refuseDeparted` in its batch. Throws SERVICE_UNAVAILABLE if that fails it. */
export async function unlessDeparted<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!violates(error, "UNIQUE", "departed_tenants.tenant_id")) throw error;
    throw new AppError("SERVICE_UNAVAILABLE", {
      message: "The data of this tenant is being moved. Try again in a few seconds.",
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}
