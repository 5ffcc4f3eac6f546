/** Verifying an email address. */

import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMail } from "../../base/mail/queue";
import type { RequestOrigin } from "../../base/schemas/actor";
import { recordVerificationMail, verifyEmailByToken } from "../accounts/verification-store";
import { type Claim, findClaimByToken } from "../reclaim/by-link-store";

/**
 * Verifies the address of a mailed token. `holderId` is the user of the browser's session, if there is one. Returns the
 * specified message. Throws INVALID_TOKEN.
 */
export async function verifyEmail(
  deps: Deps,
  token: string,
  origin: RequestOrigin,
  holderId: string | null,
): Promise<string> {
  const outcome = await verifyEmailByToken(deps, { hash: await sha256Hex(token), origin, holderId }, deps.now());
  if (outcome === "invalid") throw new AppError("INVALID_TOKEN", { message: "Invalid or expired verification token." });
  return outcome === "already" ? "Email already verified." : "Email verified successfully.";
}

/**
 * Returns who registered the address of a mailed token; null when the token is not valid or the address is verified
 * already.
 */
export async function findClaim(deps: Deps, token: string): Promise<Claim | null> {
  return findClaimByToken(deps, await sha256Hex(token), deps.now());
}

/** Queues another verification mail unless the address is verified already. Returns the specified message. */
export async function resendVerification(deps: Deps, userId: string): Promise<string> {
  if (!(await recordVerificationMail(deps, userId, deps.now()))) return "Email already verified.";
  await queueMail(deps, { kind: "verification", userId });
  return "Verification email sent.";
}
