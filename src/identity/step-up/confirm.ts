/**
 * Step-up: an action that cannot be undone needs a sign-in, or the password, a code or a passkey given again, within
 * the last ten minutes. A stolen session alone is not enough.
 */
import type { Deps } from "../../platform/deps";
import { AppError, invalid } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { MINUTE_MS } from "../../platform/time";
import { type EnteredCode, invalidCode } from "../email-codes/verify";
import { listPasskeysOfUser, type PasskeyUse } from "../passkeys/store";
import { checkPasskey, type ShownPasskey } from "../passkeys/webauthn/assertion";
import { stepUpOptions } from "../passkeys/webauthn/options";
import type { RequestOptions } from "../passkeys/webauthn/schemas";
import { findCredentialsOfUser } from "../sign-in/store";
import { hasSecondFactor } from "../two-factor/store";
import { confirmSession } from "./store";
import { checkMailCode, checkPassword, withCode } from "./verify";

const CONFIRMED_FOR_MS = 10 * MINUTE_MS;

/** What the user gives again: a password, a code, a passkey, or several of them. All of them must be right. */
export interface StepUpCredentials {
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  mailCode?: EnteredCode | undefined;
  passkey?: ShownPasskey | undefined;
}

/**
 * Confirms the session for ten minutes. Throws WRONG_PASSWORD, INVALID_CODE, INVALID_TOTP, TWO_FACTOR_NOT_ENABLED for a
 * code without a second factor, ACCOUNT_LOCKED, and VALIDATION_FAILED for an invalid passkey.
 */
export async function confirm(deps: Deps, caller: SessionPrincipal, given: StepUpCredentials): Promise<void> {
  const user = await findCredentialsOfUser(deps, caller.userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  const { password, totp } = given;
  const passkey = given.passkey ? await requirePasskey(deps, caller, given.passkey) : null;
  const mailId = given.mailCode ? await checkMailCode(deps, user.email, given.mailCode) : null;
  if (password !== undefined) await checkPassword(deps, caller, user, password);
  const passwordHash = password === undefined ? null : user.passwordHash;
  const write = { caller, passwordHash, factor: null, mailId, passkey };
  if (totp === undefined) {
    if (await confirmSession(deps, write, deps.now())) return;
    if (passkey) throw invalidPasskey();
    throw mailId === null ? new AppError("WRONG_PASSWORD") : invalidCode();
  }
  if (!hasSecondFactor(user)) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const used = await withCode(deps, caller, user, totp, async (factor) =>
    (await confirmSession(deps, { ...write, factor }, deps.now())) ? factor : null,
  );
  if (used.kind === "recovery") await queueMailIfPossible(deps, { kind: "recoveryCodeUsed", userId: caller.userId });
}

/**
 * Returns the options with which a page asks for one of the caller's passkeys. Throws CONFLICT for a user who has none.
 */
export async function startConfirmation(deps: Deps, { userId }: SessionPrincipal): Promise<RequestOptions> {
  const own = await listPasskeysOfUser(deps, userId);
  if (own.length === 0) throw new AppError("CONFLICT", { message: "You have no passkey." });
  return stepUpOptions(deps, userId, own);
}

async function requirePasskey(deps: Deps, caller: SessionPrincipal, shown: ShownPasskey): Promise<PasskeyUse> {
  const { userId, actor } = caller;
  const stored = (await listPasskeysOfUser(deps, userId)).find(({ id }) => id === shown.response.id);
  const context = { purpose: "step-up", userId, requestId: actor.requestId } as const;
  const use = stored && (await checkPasskey(deps, context, shown, stored));
  if (!use) throw invalidPasskey();
  return use;
}

const invalidPasskey = () => invalid({ issues: [{ path: ["passkey"], message: "Invalid or expired passkey" }] });

/** Whether the user signed in, or last confirmed the session, within the last ten minutes. */
export const isConfirmed = (deps: Deps, { confirmedAt }: SessionPrincipal): boolean =>
  deps.now() - confirmedAt < CONFIRMED_FOR_MS;

/**
 * Checks that the session is confirmed, or confirms it with the given credentials. Throws STEP_UP_REQUIRED, or like
 * `confirm`.
 */
export async function requireStepUp(
  deps: Deps,
  caller: SessionPrincipal,
  given: StepUpCredentials = {},
): Promise<void> {
  const { password, totp, mailCode, passkey } = given;
  if (password !== undefined || totp !== undefined || mailCode || passkey) return confirm(deps, caller, given);
  if (!isConfirmed(deps, caller)) throw new AppError("STEP_UP_REQUIRED");
}
