/** Resetting a forgotten password by mail, and changing a known one. */

import { sha256Hex } from "../../base/crypto/encoding";
import { hashPassword } from "../../base/crypto/passwords";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { queueMail, queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { findCredentialsOfUser } from "../accounts/credentials-store";
import { checkPassword } from "../accounts/verify";
import { refuseGuessable } from "../passwords/guessable";
import { requirePasswords } from "../passwords/off";
import { disableAbandoned } from "../reclaim/reclaim";
import { changePasswordOfUser, findResetByToken, resetPasswordByToken } from "./password-store";

/**
 * Queues a reset mail, at most a few per address and hour. Does the same whether or not the account exists, so that
 * neither the answer nor its time reveals that.
 */
export async function forgotPassword(deps: Deps, email: string, origin: RequestOrigin): Promise<void> {
  requirePasswords(deps.config);
  const verdict = await deps.limiter.consume("resetMail", email);
  if (verdict?.allowed !== false) await queueMail(deps, { kind: "passwordReset", email, origin });
}

const badToken = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired reset token." });

export interface PasswordResetRequest {
  token: string;
  newPassword: string;
  /** Also ends every API key, passkey and identity; missing: only those from before the address was verified. */
  endCredentials?: boolean | undefined;
}

/**
 * Sets a new password with a mailed token, which also verifies the address. An account whose address was not verified
 * before is reclaimed: see reclaim-store.ts. Throws INVALID_TOKEN, TOKEN_EXPIRED, VALIDATION_FAILED.
 */
export async function resetPassword(
  deps: Deps,
  { token, newPassword: password, endCredentials = false }: PasswordResetRequest,
  origin: RequestOrigin,
): Promise<void> {
  requirePasswords(deps.config);
  const hash = await sha256Hex(token);
  await refuseGuessable(deps, "newPassword", password);
  const reset = await findResetByToken(deps, hash);
  if (!reset || reset.usedAt !== null) throw badToken();
  if (reset.expiresAt <= deps.now()) throw new AppError("TOKEN_EXPIRED", { message: "Reset token has expired." });
  const { userId, email } = reset;
  await refuseGuessable(deps, "newPassword", password, email);
  const passwordHash = await hashPassword(password);
  const revert = await newRevert(deps.keys, deps.now());
  await disableAbandoned(deps, reset.tenants);
  const write = { hash, userId, passwordHash, revert, origin, endCredentials };
  const done = await resetPasswordByToken(deps, write, deps.now());
  if (!done) throw badToken();
  await queueMailIfPossible(deps, { kind: "passwordChanged", id: revert.mailId, userId, ...done });
  await deps.guesses.passwordReset(email);
}

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/**
 * Sets the caller's new password, and ends their other sessions. Throws WRONG_PASSWORD for a wrong current password,
 * ACCOUNT_LOCKED after ten wrong ones, VALIDATION_FAILED for a guessable new password.
 */
export async function changePassword(deps: Deps, caller: SessionPrincipal, change: PasswordChange): Promise<void> {
  requirePasswords(deps.config);
  const { userId, tenantId, sessionId, actor } = caller;
  const { currentPassword, newPassword } = change;
  const user = await findCredentialsOfUser(deps, userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  await refuseGuessable(deps, "newPassword", newPassword, user.email);
  const revert = await newRevert(deps.keys, deps.now());
  await checkPassword(deps, caller, user, currentPassword, async () => {
    const newHash = await hashPassword(newPassword);
    const write = { userId, tenantId, actor, keepSessionId: sessionId, oldHash: user.passwordHash, newHash, revert };
    return changePasswordOfUser(deps, write);
  });
  await queueMailIfPossible(deps, { kind: "passwordChanged", id: revert.mailId, userId });
}
