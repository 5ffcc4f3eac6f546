/** Why a WebAuthn ceremony is refused. The answer is the same for all reasons; the log has the reason. */
import { log } from "../../../base/log/log";

/** Thrown by the checks of a ceremony. The message is a fixed phrase. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Throws a Refusal with this reason unless the condition holds. */
export function ensure(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new Refusal(reason);
}

/** Runs the checks of a ceremony. Returns null when they refuse it, and logs why. */
export async function orRefused<T>(requestId: string | null, checks: () => Promise<T>): Promise<T | null> {
  try {
    return await checks();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log("info", "passkey refused", { reason: error.message, requestId });
    return null;
  }
}
