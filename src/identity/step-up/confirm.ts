/**
 * Step-up: an action that cannot be undone needs a sign-in, or the password, a code or a passkey given again, within
 * the last ten minutes. A stolen session alone is not enough. Somebody with a second factor or a passkey needs one of
 * these: a stolen password or a stolen mailbox is not enough either.
 */
import type { Deps } from "../../base/deps";
import { AppError, type ErrorDetail, emailNotVerified, invalid } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { StepUp } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import { findCredentialsOfUser, type StoredCredentials } from "../accounts/credentials-store";
import { checkMailCode, checkPassword, withCode } from "../accounts/verify";
import { type EnteredCode, invalidCode } from "../email-codes/verify";
import { listPasskeysOfUser, type PasskeyRow, type PasskeyUse } from "../passkeys/store";
import { checkPasskey, type ShownPasskey } from "../passkeys/webauthn/assertion";
import { stepUpOptions } from "../passkeys/webauthn/options";
import type { RequestOptions } from "../passkeys/webauthn/schemas";
import { tellOfBrokenGlass } from "../policy/broken-glass";
import { addressOfSignOn, mustSignOn } from "../policy/sign-on-required";
import { openResult } from "../providers/sign-in-result";
import { type Factor, hasSecondFactor } from "../two-factor/store";
import { confirmSession, type SignOnProof } from "./store";

const CONFIRMED_FOR_MS = 10 * MINUTE_MS;

/** What the user gives again: a password, a code, a passkey, or several of them. All of them must be right. */
export interface StepUpCredentials {
  password?: string | undefined;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  mailCode?: EnteredCode | undefined;
  passkey?: ShownPasskey | undefined;
  /** Of a session that the tenant's own sign-on has opened. */
  signOn?: SignOnProof | undefined;
}

/**
 * Confirms the session for ten minutes. Throws STEP_UP_REQUIRED with details if the user has a second factor or a
 * passkey and shows none, WRONG_PASSWORD, INVALID_CODE, INVALID_TOTP, TWO_FACTOR_NOT_ENABLED for a code without a
 * second factor, ACCOUNT_LOCKED, VALIDATION_FAILED for an invalid passkey, and INVALID_TOKEN for a sign-on that is not
 * the session's own.
 */
export async function confirm(deps: Deps, caller: SessionPrincipal, given: StepUpCredentials): Promise<void> {
  const { user, passkeys } = await readFactors(deps, caller);
  const wanted = showsFactor(given) ? [] : wantedFactors(user, passkeys);
  if (wanted.length > 0) throw factorRequired([...wanted, ...waysToSignOn(deps, caller)]);
  await confirmAt(deps, caller, given, { user, passkeys, confirmedAt: deps.now() });
}

interface StoredFactors {
  user: StoredCredentials;
  passkeys: readonly PasskeyRow[];
}

async function readFactors(deps: Deps, { userId }: SessionPrincipal): Promise<StoredFactors> {
  const [user, passkeys] = await Promise.all([findCredentialsOfUser(deps, userId), listPasskeysOfUser(deps, userId)]);
  if (!user) throw new AppError("UNAUTHENTICATED");
  return { user, passkeys };
}

/** The provider of a confined session stands in for the person's own factors, which widen nothing there. */
const showsFactor = ({ totp, passkey, signOn }: StepUpCredentials): boolean =>
  totp !== undefined || passkey !== undefined || signOn !== undefined;

/** The fields of which one is wanted; none for an account that has neither a second factor nor a passkey. */
const wantedFactors = (user: StoredCredentials, passkeys: readonly PasskeyRow[]): ErrorDetail[] => [
  ...(hasSecondFactor(user) ? [{ path: "totp", message: "Give a two-factor or a recovery code" }] : []),
  ...(passkeys.length > 0 ? [{ path: "passkey", message: "Show one of your passkeys, on a device that has it" }] : []),
];

const factorRequired = (details: ErrorDetail[]) =>
  new AppError("STEP_UP_REQUIRED", { message: "Confirm with your second factor or a passkey to continue.", details });

/** Checks all that is given and confirms the session as of `confirmedAt` (Unix ms). Throws as `confirm`. */
async function confirmAt(
  deps: Deps,
  caller: SessionPrincipal,
  given: StepUpCredentials,
  { user, passkeys, confirmedAt }: StoredFactors & { confirmedAt: number },
): Promise<void> {
  const { password, totp } = given;
  const passkey = given.passkey ? await requirePasskey(deps, caller, passkeys, given.passkey) : null;
  const mailId = given.mailCode ? await checkMailCode(deps, caller, user.email, given.mailCode) : null;
  if (password !== undefined) await checkPassword(deps, caller, user, password);
  const passwordHash = password === undefined ? null : user.passwordHash;
  const signOn = given.signOn ?? null;
  const wasRefused = mustSignOn(deps, caller, deps.now());
  const write = { caller, passwordHash, factor: null, mailId, passkey, signOn, wasRefused, confirmedAt };
  const confirmed = async (factor: Factor | null) => {
    const session = await confirmSession(deps, { ...write, factor }, deps.now());
    if (session) tellOfBrokenGlass(deps, session, caller.account.email);
    return session !== null;
  };
  if (totp === undefined) {
    if (await confirmed(null)) return;
    if (signOn) throw invalidSignOn();
    if (passkey) throw invalidPasskey();
    throw mailId === null ? new AppError("WRONG_PASSWORD") : invalidCode();
  }
  if (!hasSecondFactor(user)) throw new AppError("TWO_FACTOR_NOT_ENABLED");
  const used = await withCode(deps, caller, user, totp, async (factor) => ((await confirmed(factor)) ? factor : null));
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

async function requirePasskey(
  deps: Deps,
  { userId, actor }: SessionPrincipal,
  own: readonly PasskeyRow[],
  shown: ShownPasskey,
): Promise<PasskeyUse> {
  const stored = own.find(({ id }) => id === shown.response.id);
  const context = { purpose: "step-up", userId, requestId: actor.requestId } as const;
  const use = stored && (await checkPasskey(deps, context, shown, stored));
  if (!use) throw invalidPasskey();
  return use;
}

const invalidSignOn = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired code." });

/** Reads the sign-on of a code, in the browser that has signed on. Throws INVALID_TOKEN. */
export async function readSignOn(deps: Deps, code: string, sealed: string | undefined): Promise<SignOnProof> {
  const proof = await openResult<SignOnProof>(deps, "confirmed by sign-on", sealed, code);
  if (!proof) throw invalidSignOn();
  return proof;
}

/** Where the person of a confined session shows again who they are. */
const waysToSignOn = ({ config }: Deps, { connectionId }: SessionPrincipal): ErrorDetail[] =>
  connectionId === null
    ? []
    : [{ path: "signOn", message: addressOfSignOn(config, { connection: connectionId, purpose: "step-up" }) }];

const invalidPasskey = () => invalid({ issues: [{ path: ["passkey"], message: "Invalid or expired passkey" }] });

/**
 * Throws EMAIL_NOT_VERIFIED for an account whose address is unverified, where addresses must be verified: whoever
 * registered it may not own the address, and must leave nothing behind that opens the account later.
 */
export function requireVerifiedAddress({ config }: Deps, { account }: SessionPrincipal): void {
  if (config.emailVerification === "required" && account.emailVerifiedAt === null) throw emailNotVerified();
}

/** Whether the user signed in, or last confirmed the session, within the last ten minutes. */
export const isConfirmed = (deps: Deps, { confirmedAt }: SessionPrincipal): boolean =>
  deps.now() - confirmedAt < CONFIRMED_FOR_MS;

/**
 * Checks that the session is confirmed, or confirms it with what is given. A password or mailed code does not confirm
 * the session of somebody who has a second factor or a passkey, but is checked. Throws STEP_UP_REQUIRED, or like
 * `confirm`.
 */
export async function requireStepUp(
  deps: Deps,
  caller: SessionPrincipal,
  given: StepUpCredentials = {},
): Promise<void> {
  const { password, mailCode } = given;
  const wasConfirmed = isConfirmed(deps, caller);
  const isNothing = password === undefined && mailCode === undefined && !showsFactor(given);
  if (isNothing && wasConfirmed) return;
  const factors = await readFactors(deps, caller);
  const wanted = showsFactor(given) ? [] : wantedFactors(factors.user, factors.passkeys);
  const ways = waysToSignOn(deps, caller);
  if (wanted.length > 0 && !wasConfirmed) throw factorRequired([...wanted, ...ways]);
  if (isNothing) throw new AppError("STEP_UP_REQUIRED", ways.length === 0 ? {} : { details: ways });
  const confirmedAt = wanted.length > 0 ? caller.confirmedAt : deps.now();
  await confirmAt(deps, caller, given, { ...factors, confirmedAt });
}

/** The step-up of operations that take no credentials. */
export const recentSignIn: StepUp<unknown> = {
  errors: ["STEP_UP_REQUIRED"],
  check: (deps, session) => requireStepUp(deps, session),
};

/** The step-up of changes to owners. The write itself checks it, with the roles that it finds: see `isConfirmed`. */
export const recentSignInForOwners: StepUp<unknown> = { errors: ["STEP_UP_REQUIRED"], check: async () => {} };

/** The step-up of operations whose input may also have credentials. */
export const recentSignInOrCredentials: StepUp<StepUpCredentials> = {
  errors: ["STEP_UP_REQUIRED", "WRONG_PASSWORD", "INVALID_TOTP", "TWO_FACTOR_NOT_ENABLED", "ACCOUNT_LOCKED"],
  check: requireStepUp,
};
