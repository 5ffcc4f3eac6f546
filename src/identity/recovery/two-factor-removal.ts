/** Removing a lost second factor. An operator has a link mailed; nothing is removed until it is used. */

import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import type { RequestOrigin } from "../../base/schemas/actor";
import { findRemovalByToken, removeFactorByToken } from "./two-factor-removal-store";

const badLink = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired link." });

/** Throws INVALID_TOKEN unless the link of a mailed token would remove a second factor. Changes nothing. */
export async function checkRemoval(deps: Deps, token: string): Promise<void> {
  if (!(await findRemovalByToken(deps, await sha256Hex(token), deps.now()))) throw badLink();
}

/**
 * Removes the second factor of a mailed token's user, once, and mails a notice. All sessions end. Throws INVALID_TOKEN.
 */
export async function removeLostFactor(deps: Deps, token: string, origin: RequestOrigin): Promise<void> {
  const hash = await sha256Hex(token);
  const userId = await findRemovalByToken(deps, hash, deps.now());
  if (!userId) throw badLink();
  const revert = await newRevert(deps.keys, deps.now());
  if (!(await removeFactorByToken(deps, { hash, userId, revert, origin }, deps.now()))) throw badLink();
  await queueMailIfPossible(deps, { kind: "twoFactorChanged", id: revert.mailId, userId, enabled: false });
}
