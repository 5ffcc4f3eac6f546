/** Email verification, password reset and password change. */
import { sha256Hex } from "../crypto/encoding";
import { hashPassword, verifyPassword } from "../crypto/passwords";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { queueMail } from "../mail/queue";
import { refuseGuessable } from "../passwords/guessable";
import {
  changePasswordOfUser,
  findCredentialsOfUser,
  findResetByToken,
  recordVerificationMail,
  resetPasswordByToken,
  verifyEmailByToken,
} from "./store";

/** Verifies the address of a mailed token. Returns the message of the contract. Throws INVALID_TOKEN. */
export async function verifyEmail(deps: Deps, token: string): Promise<string> {
  const outcome = await verifyEmailByToken(deps, await sha256Hex(token), deps.now());
  if (outcome === "invalid") throw new AppError("INVALID_TOKEN", { message: "Invalid or expired verification token." });
  return outcome === "already" ? "Email already verified." : "Email verified successfully.";
}

/** Queues another verification mail unless the address is verified already. Returns the message of the contract. */
export async function resendVerification(deps: Deps, userId: string): Promise<string> {
  if (!(await recordVerificationMail(deps, userId, deps.now()))) return "Email already verified.";
  await deps.mailQueue.send({ kind: "verification", userId });
  return "Verification email sent.";
}

/** Queues a reset mail. Does the same work whether or not the account exists, so that the time tells nothing. */
export async function forgotPassword(deps: Deps, email: string): Promise<void> {
  await deps.mailQueue.send({ kind: "passwordReset", email });
}

const badToken = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired reset token." });

/** Sets a new password with a mailed token and lifts the lock. Throws INVALID_TOKEN, TOKEN_EXPIRED, VALIDATION_FAILED. */
export async function resetPassword(deps: Deps, token: string, password: string): Promise<void> {
  const hash = await sha256Hex(token);
  refuseGuessable(deps.config, "newPassword", password);
  const reset = await findResetByToken(deps, hash);
  if (!reset || reset.usedAt !== null) throw badToken();
  if (reset.expiresAt <= deps.now()) throw new AppError("TOKEN_EXPIRED", { message: "Reset token has expired." });
  const { userId, email } = reset;
  refuseGuessable(deps.config, "newPassword", password, email);
  const passwordHash = await hashPassword(password);
  if (!(await resetPasswordByToken(deps, { hash, userId, passwordHash }, deps.now()))) throw badToken();
  await queueMail(deps, { kind: "passwordChanged", userId });
  await deps.guesses.passwordReset(email);
}

export interface PasswordChange {
  userId: string;
  /** Stays; every other session ends. */
  sessionId: string;
  currentPassword: string;
  newPassword: string;
}

/** Sets a new password. Throws WRONG_PASSWORD for a wrong current password, ACCOUNT_LOCKED after ten of them, VALIDATION_FAILED for a guessable new one. */
export async function changePassword(deps: Deps, change: PasswordChange): Promise<void> {
  const { userId, sessionId, currentPassword, newPassword } = change;
  const user = await findCredentialsOfUser(deps, userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  refuseGuessable(deps.config, "newPassword", newPassword, user.email);
  const { value: changed } = await deps.guesses.check("password", user.email, async () => {
    const { correct } = await verifyPassword(currentPassword, user.passwordHash);
    if (!correct) return null;
    const newHash = await hashPassword(newPassword);
    const write = { userId, keepSessionId: sessionId, oldHash: user.passwordHash, newHash };
    return (await changePasswordOfUser(deps, write)) || null;
  });
  if (!changed) throw new AppError("WRONG_PASSWORD");
  await queueMail(deps, { kind: "passwordChanged", userId });
}
