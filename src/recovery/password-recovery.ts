/** What a mailbox proves (verification, reset), and setting a password. */
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
  noteVerificationMail,
  resetPasswordByToken,
  verifyEmailByToken,
} from "./store";

/** Returns the message of the contract. Throws INVALID_TOKEN. */
export async function verifyEmail(deps: Deps, token: string): Promise<string> {
  const outcome = await verifyEmailByToken(deps, await sha256Hex(token), deps.now());
  if (outcome === "invalid") throw new AppError("INVALID_TOKEN", { message: "Invalid or expired verification token." });
  return outcome === "already" ? "Email already verified." : "Email verified successfully.";
}

/** Queues another verification mail unless the address is verified. Returns the message of the contract. */
export async function resendVerification(deps: Deps, userId: string): Promise<string> {
  if (!(await noteVerificationMail(deps, userId, deps.now()))) return "Email already verified.";
  await deps.mailQueue.send({ kind: "verification", userId });
  return "Verification email sent.";
}

/** Queues a reset: the same work whether or not the account exists. */
export async function forgotPassword(deps: Deps, email: string): Promise<void> {
  await deps.mailQueue.send({ kind: "passwordReset", email });
}

const badToken = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired reset token." });

/** Sets a new password against a mailed token and lifts the locks. Throws INVALID_TOKEN, TOKEN_EXPIRED, VALIDATION_FAILED. */
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
  await Promise.all([deps.limiter.clearGuesses("password", email), deps.limiter.clearGuesses("totp", email)]);
  await queueMail(deps, { kind: "passwordChanged", userId });
}

export interface PasswordChange {
  userId: string;
  /** Lives on; every other session ends. */
  sessionId: string;
  currentPassword: string;
  newPassword: string;
}

/** Throws UNAUTHENTICATED for a wrong current password, ACCOUNT_LOCKED after ten, VALIDATION_FAILED for a guessable new one. */
export async function changePassword(deps: Deps, change: PasswordChange): Promise<void> {
  const { userId, sessionId, currentPassword, newPassword } = change;
  const user = await findCredentialsOfUser(deps, userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  refuseGuessable(deps.config, "newPassword", newPassword, user.email);
  await deps.limiter.reserveGuess("password", user.email);
  const { correct } = await verifyPassword(currentPassword, user.passwordHash);
  const write = { userId, keepSessionId: sessionId, oldHash: user.passwordHash, newHash: "" };
  if (correct) write.newHash = await hashPassword(newPassword);
  if (!correct || !(await changePasswordOfUser(deps, write))) {
    throw new AppError("UNAUTHENTICATED", { message: "Current password is incorrect." });
  }
  await deps.limiter.clearGuesses("password", user.email);
  await queueMail(deps, { kind: "passwordChanged", userId });
}
