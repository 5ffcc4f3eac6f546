/** "This was not me": reverting what a mail reports, and reclaiming an address that somebody else has registered. */

import { sha256Hex } from "../../platform/crypto/encoding";
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { RevertKind } from "../../platform/mail/revert-store";
import type { RequestOrigin } from "../../platform/schemas/actor";
import { disableAbandoned } from "./reclaim";
import { findClaimByToken, reclaimByLink } from "./reclaim-by-link-store";
import { findRevertByToken, revertByToken } from "./revert-store";

/** What a link would do; "reclaim" for the link of a verification mail. */
export type MailedLinkKind = RevertKind | "reclaim";

export const REVERT_MESSAGES = {
  undone: "Undone. All sessions and API keys have ended, and a reset link has been sent.",
  apiKeys: "All API keys have been revoked.",
  reclaimed: "Everything set up with your address has ended, and a reset link has been sent.",
} as const;

const badLink = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired link." });

/** Returns what the link of a mailed token would do. Changes nothing. Throws INVALID_TOKEN. */
export async function describeRevert(deps: Deps, token: string): Promise<MailedLinkKind> {
  const hash = await sha256Hex(token);
  const revert = await findRevertByToken(deps, hash, deps.now());
  if (revert) return revert.kind;
  if (await findClaimByToken(deps, hash, deps.now())) return "reclaim";
  throw badLink();
}

/** Does what the link of a mailed token is for, once. Returns the message for the user. Throws INVALID_TOKEN. */
export async function reportNotMe(deps: Deps, token: string, origin: RequestOrigin): Promise<string> {
  const hash = await sha256Hex(token);
  const reverted = await revertByToken(deps, hash, origin, deps.now());
  if (!reverted) return reclaimAccount(deps, hash, origin);
  if (reverted.kind === "apiKeys") return REVERT_MESSAGES.apiKeys;
  await queueMailIfPossible(deps, { kind: "passwordReset", email: reverted.email, origin });
  return REVERT_MESSAGES.undone;
}

async function reclaimAccount(deps: Deps, hash: string, origin: RequestOrigin): Promise<string> {
  const claim = await findClaimByToken(deps, hash, deps.now());
  if (!claim) throw badLink();
  await disableAbandoned(deps, claim.tenants);
  const ended = await reclaimByLink(deps, { hash, userId: claim.userId, origin }, deps.now());
  if (!ended) throw badLink();
  await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId: claim.userId, ended });
  return REVERT_MESSAGES.reclaimed;
}
