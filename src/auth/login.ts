/**
 * Login in one step, or in two for the console: the password, then the code. Known and unknown emails cost the same work, and the write
 * that opens the session also uses the second factor.
 */
import { userActor } from "../audit/actor";
import { digest } from "../crypto/encryption";
import { hashPassword, verifyPassword } from "../crypto/passwords";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import { queueMailIfPossible } from "../mail/queue";
import { newUndo } from "../mail/undo-store";
import { claimVerificationMail } from "../recovery/store";
import type { Device } from "../sessions/device";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import { MINUTE_MS } from "../time";
import { readFactor } from "../two-factor/codes";
import type { Factor, StoredSecret } from "../two-factor/store";
import { checkGuess } from "./guess";
import {
  findCredentialsByEmail,
  findCredentialsOfUser,
  openSession,
  type StoredCredentials,
  upgradePasswordHash,
} from "./store";
import type { Visit } from "./visit";

const VERIFICATION_MAIL_INTERVAL_MS = 2 * MINUTE_MS;

export interface Credentials {
  email: string;
  password: string;
  /** One of the user's tenants; the one used last when missing. */
  tenantId?: string | undefined;
}

/** A login whose password was right and whose second factor is still missing. It stops being valid when the password changes. */
export interface PendingLogin {
  userId: string;
  /** Keyed, so that it says nothing about the password. */
  passwordDigest: string;
}

/**
 * Opens a session. `totp` is a TOTP or recovery code. Throws UNAUTHENTICATED, EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP,
 * ACCOUNT_LOCKED, SERVICE_UNAVAILABLE, and NOT_FOUND for a tenant that the user is not a member of.
 */
export async function login(
  deps: Deps,
  input: Credentials & { totp?: string | undefined },
  visit: Visit,
): Promise<OpenedSession> {
  const stored = await checkPassword(deps, input, visit);
  if (!hasSecondFactor(stored)) return open(deps, stored, input.tenantId, visit);
  if (input.totp === undefined) throw new AppError("TOTP_REQUIRED");
  return openWithCode(deps, stored, { code: input.totp, tenantId: input.tenantId }, visit);
}

/** The first step: opens a session, or returns what `continueLogin` needs for an account with a second factor. Throws as `login`. */
export async function startLogin(deps: Deps, input: Credentials, visit: Visit): Promise<OpenedSession | PendingLogin> {
  const stored = await checkPassword(deps, input, visit);
  if (!hasSecondFactor(stored)) return open(deps, stored, input.tenantId, visit);
  return { userId: stored.userId, passwordDigest: await passwordDigest(deps, stored) };
}

/** The second step. Throws UNAUTHENTICATED when the password has changed since the first one, else as `login`. */
export async function continueLogin(
  deps: Deps,
  pending: PendingLogin,
  code: string,
  visit: Visit,
): Promise<OpenedSession> {
  const stored = await findCredentialsOfUser(deps, pending.userId);
  if (!stored || (await passwordDigest(deps, stored)) !== pending.passwordDigest) throw wrongPassword();
  if (!hasSecondFactor(stored)) return open(deps, stored, undefined, visit);
  return openWithCode(deps, stored, { code, tenantId: undefined }, visit);
}

const wrongPassword = () => new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });

const passwordDigest = (deps: Deps, { userId, passwordHash }: StoredCredentials) =>
  digest(deps.keys, `login:${userId}`, passwordHash);

type SecondFactor = StoredSecret & { totpEnabledAt: number };

const hasSecondFactor = (stored: StoredCredentials): stored is StoredCredentials & SecondFactor =>
  stored.totpEnabledAt !== null && stored.totpSecretEncrypted !== null && stored.totpEnrolmentId !== null;

async function checkPassword(
  deps: Deps,
  { email, password, tenantId }: Credentials,
  { origin }: Visit,
): Promise<StoredCredentials> {
  const found = findCredentialsByEmail(deps, email, tenantId ?? null);
  // It runs beside the reservation of the guess. When that is refused, nobody awaits it.
  found.catch(() => {});
  const evaluate = async () => {
    const credentials = await found;
    const { correct, outdated } = await verifyPassword(password, credentials?.passwordHash ?? null);
    if (!credentials || !correct) return null;
    return outdated ? withNewHash(deps, credentials, password) : credentials;
  };
  const { value: stored } = await checkGuess(deps, { pool: "password", email, account: found, origin, evaluate });
  if (!stored) throw wrongPassword();
  if (stored.emailVerifiedAt === null && deps.config.emailVerification === "required") {
    await mailVerificationAgain(deps, stored.userId);
    throw new AppError("EMAIL_NOT_VERIFIED");
  }
  return stored;
}

async function withNewHash(deps: Deps, stored: StoredCredentials, password: string): Promise<StoredCredentials> {
  const upgraded = await hashPassword(password);
  const { userId, passwordHash } = stored;
  return (await upgradePasswordHash(deps, userId, passwordHash, upgraded))
    ? { ...stored, passwordHash: upgraded }
    : stored;
}

async function openWithCode(
  deps: Deps,
  stored: StoredCredentials & SecondFactor,
  { code, tenantId }: { code: string; tenantId: string | undefined },
  visit: Visit,
): Promise<OpenedSession> {
  const evaluate = async () => {
    const factor = await readFactor(deps, stored.userId, stored, code);
    if (!factor) return null;
    requireMember(stored, tenantId);
    return tryOpen(deps, stored, factor, visit);
  };
  const { email, userId } = stored;
  const account = Promise.resolve(stored);
  const guess = { pool: "totp", email, account, origin: visit.origin, evaluate } as const;
  const { value: opened, startedLock } = await checkGuess(deps, guess);
  if (startedLock) await queueMailIfPossible(deps, { kind: "secondFactorGuessed", userId });
  if (!opened) throw new AppError("INVALID_TOTP");
  return opened;
}

async function open(
  deps: Deps,
  stored: StoredCredentials,
  tenantId: string | undefined,
  visit: Visit,
): Promise<OpenedSession> {
  requireMember(stored, tenantId);
  const opened = await tryOpen(deps, stored, null, visit);
  if (!opened) throw wrongPassword();
  return opened;
}

/** The requested tenant is read first if the user is a member of it. */
function requireMember(stored: StoredCredentials, tenantId: string | undefined): void {
  if (tenantId && tenantId !== stored.tenantId) throw notFound("Tenant");
}

/** Returns null when the factor was used before, or when password, second factor or membership changed since they were read. */
async function tryOpen(
  deps: Deps,
  stored: StoredCredentials,
  factor: Factor | null,
  visit: Visit,
): Promise<OpenedSession | null> {
  const { userId, email, tenantId, name, passwordHash } = stored;
  const { device, origin } = visit;
  const draft = await draftSession(deps, userId, device);
  const actor = userActor({ userId, email, sessionId: draft.row.id }, origin);
  const ownTenant = tenantId === null ? { id: newId(), name: name ?? "Personal" } : null;
  const undo = await newUndo(deps.keys, deps.now());
  const opening = { session: draft.row, undo, tenantId, ownTenant, factor, passwordHash, actor };
  const opened = await openSession(deps, opening, deps.now());
  if (!opened) return null;
  if (factor?.kind === "recovery") await queueMailIfPossible(deps, { kind: "recoveryCodeUsed", userId });
  if (opened.isNewDevice) await tellOfNewDevice(deps, userId, undo.mailId, device);
  return openedSession(deps, draft, opened.tenantId);
}

async function tellOfNewDevice(deps: Deps, userId: string, mailId: string, device: Device): Promise<void> {
  const { kind, location, ipAddress } = device;
  const seen = { device: kind, location, ipAddress, signedInAt: deps.now() };
  await queueMailIfPossible(deps, { kind: "signedInOnNewDevice", id: mailId, userId, ...seen });
}

async function mailVerificationAgain(deps: Deps, userId: string): Promise<void> {
  if (await claimVerificationMail(deps, userId, deps.now(), VERIFICATION_MAIL_INTERVAL_MS)) {
    await queueMailIfPossible(deps, { kind: "verification", userId });
  }
}
