/**
 * Changing the address of an account by the link that was mailed to the new one. Who follows it has the mailbox, so an
 * account that has the address without having proven it gives it up.
 */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { log } from "../../base/log/log";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { operatorsAddress } from "../../identity/profile/email-change";
import { changeEmailByToken } from "../../identity/profile/email-change-store";
import { tenantsToLeaveOfUser } from "../../identity/reclaim/by-code-store";
import { disableAbandoned } from "../../identity/reclaim/reclaim";
import { endUnprovenHolder, findUnprovenHolder } from "./unproven-store";

/**
 * Gives the caller the address that a token was mailed to. Throws INVALID_TOKEN, also for the token of another account,
 * EMAIL_TAKEN for an address that another account has proven, and FORBIDDEN for the address of an operator.
 */
export async function confirmEmail(deps: Deps, caller: SessionPrincipal, token: string): Promise<void> {
  const nowMs = deps.now();
  const hash = await sha256Hex(token);
  const revert = await newRevert(deps.keys, nowMs);
  const change = () => changeEmailByToken(deps, caller, { hash, revert }, nowMs);
  let outcome = await change();
  if (outcome === "taken" && (await endUnproven(deps, { hash, userId: caller.userId }, nowMs)))
    outcome = await change();
  if (outcome === "invalid") throw new AppError("INVALID_TOKEN", { message: "Invalid or expired link." });
  if (outcome === "taken") throw new AppError("EMAIL_TAKEN");
  if (outcome === "operator") throw operatorsAddress();
  await queueMailIfPossible(deps, { kind: "emailChanged", id: revert.mailId, userId: caller.userId, isDone: true });
}

/**
 * Ends the account that has the address of the token without having proven it, as a reset of its password would, and
 * deletes it, because addresses are unique. Returns whether there was one. After a fault in between, the link can be
 * followed again.
 */
async function endUnproven(deps: Deps, link: { hash: string; userId: string }, nowMs: number): Promise<boolean> {
  const holderId = await findUnprovenHolder(deps, link, nowMs);
  if (holderId === null) return false;
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, holderId));
  if (await endUnprovenHolder(deps, { ...link, holderId }, nowMs))
    log("info", "account deleted", { userId: holderId, count: 0 });
  return true;
}
