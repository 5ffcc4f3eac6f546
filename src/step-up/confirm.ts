/**
 * Step-up: what cannot be undone needs a sign-in, or the password or a code given again, within the last ten minutes. A stolen session
 * alone is not enough.
 */
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { queueMailIfPossible } from "../mail/queue";
import { type EnteredCode, invalidCode } from "../mail-code/judge";
import type { SessionPrincipal } from "../tenants/principal";
import { MINUTE_MS } from "../time";
import { checkMailCode, checkPassword, hasSecondFactor, withCode } from "./proof";
import { confirmSession, findProofOfUser } from "./store";

const CONFIRMED_FOR_MS = 10 * MINUTE_MS;

/** What is given again: a password, a code, or several of them. What is given must be right. */
export interface Proof {
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  mailCode?: EnteredCode | undefined;
}

/**
 * Confirms the session for ten minutes. Throws WRONG_PASSWORD, INVALID_CODE, INVALID_TOTP, TWO_FACTOR_NOT_ENABLED for a code without a
 * second factor, ACCOUNT_LOCKED.
 */
export async function confirm(deps: Deps, caller: SessionPrincipal, proof: Proof): Promise<void> {
  const user = await findProofOfUser(deps, caller.userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  const { password, totp } = proof;
  const mailId = proof.mailCode ? await checkMailCode(deps, user, proof.mailCode) : null;
  if (password !== undefined) await checkPassword(deps, caller, user, password);
  const passwordHash = password === undefined ? null : user.passwordHash;
  const write = { caller, passwordHash, factor: null, mailId };
  if (totp === undefined) {
    if (await confirmSession(deps, write, deps.now())) return;
    throw mailId === null ? new AppError("WRONG_PASSWORD") : invalidCode();
  }
  if (!hasSecondFactor(user)) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const used = await withCode(deps, caller, user, totp, async (factor) =>
    (await confirmSession(deps, { ...write, factor }, deps.now())) ? factor : null,
  );
  if (used.kind === "recovery") await queueMailIfPossible(deps, { kind: "recoveryCodeUsed", userId: caller.userId });
}

/** Lets the caller pass if the session is confirmed, or is now by what is given. Throws STEP_UP_REQUIRED, or as `confirm`. */
export async function requireStepUp(deps: Deps, caller: SessionPrincipal, proof: Proof = {}): Promise<void> {
  if (proof.password !== undefined || proof.totp !== undefined || proof.mailCode) return confirm(deps, caller, proof);
  if (deps.now() - caller.confirmedAt >= CONFIRMED_FOR_MS) throw new AppError("STEP_UP_REQUIRED");
}
