/** One poll of a consumer at a time. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";

/** Does the work of a poll, unless another poll of the consumer is running. Throws CONFLICT then. */
export async function withLease<T>(deps: Deps, feedId: string, consumer: string, work: () => Promise<T>): Promise<T> {
  const lease = deps.feedLeases.getByName(`${feedId} ${consumer}`);
  const taken = await lease.take();
  if (taken.token === null) {
    throw new AppError("CONFLICT", {
      message: "This consumer is being polled. Poll it once at a time.",
      retryAfterSeconds: taken.retryAfterSeconds,
    });
  }
  try {
    return await work();
  } finally {
    deps.background("end of a poll", lease.release(taken.token));
  }
}
