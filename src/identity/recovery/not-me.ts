/** "This was not me": undoing what a mail reports, and taking back an address that somebody else has registered. */

import { sha256Hex } from "../../platform/crypto/encoding";
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { UndoKind } from "../../platform/mail/undo-store";
import type { RequestOrigin } from "../../platform/schemas/actor";
import { findClaimByToken, takeOverByToken } from "./claim-store";
import { disableAbandoned } from "./take-over";
import { findUndoByToken, undoByToken } from "./undo-store";

/** What a link would do; "takeOver" for the link of a verification mail. */
export type NotMeKind = UndoKind | "takeOver";

export const NOT_ME_MESSAGES = {
  undone: "Undone. All sessions and API keys have ended, and a reset link has been sent.",
  apiKeys: "All API keys have been revoked.",
  takenOver: "Everything set up with your address has ended, and a reset link has been sent.",
} as const;

const badLink = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired link." });

/** Returns what the link of a mailed token would do. Changes nothing. Throws INVALID_TOKEN. */
export async function describeNotMe(deps: Deps, token: string): Promise<NotMeKind> {
  const hash = await sha256Hex(token);
  const undo = await findUndoByToken(deps, hash, deps.now());
  if (undo) return undo.kind;
  if (await findClaimByToken(deps, hash, deps.now())) return "takeOver";
  throw badLink();
}

/** Does what the link of a mailed token is for, once. Returns the message for the user. Throws INVALID_TOKEN. */
export async function reportNotMe(deps: Deps, token: string, origin: RequestOrigin): Promise<string> {
  const hash = await sha256Hex(token);
  const undone = await undoByToken(deps, hash, origin, deps.now());
  if (!undone) return takeOverAccount(deps, hash, origin);
  if (undone.kind === "apiKeys") return NOT_ME_MESSAGES.apiKeys;
  await queueMailIfPossible(deps, { kind: "passwordReset", email: undone.email, origin });
  return NOT_ME_MESSAGES.undone;
}

async function takeOverAccount(deps: Deps, hash: string, origin: RequestOrigin): Promise<string> {
  const claim = await findClaimByToken(deps, hash, deps.now());
  if (!claim) throw badLink();
  await disableAbandoned(deps, claim.tenants);
  const ended = await takeOverByToken(deps, { hash, userId: claim.userId, origin }, deps.now());
  if (!ended) throw badLink();
  await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId: claim.userId, ended });
  return NOT_ME_MESSAGES.takenOver;
}
