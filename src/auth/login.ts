/**
 * Login. A guess is reserved before the password is checked, known and unknown emails cost the same work, and the write that opens the
 * session also uses the second factor.
 */
import { hashPassword, verifyPassword } from "../crypto/passwords";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import { queueMail } from "../mail/queue";
import { claimVerificationMail } from "../recovery/store";
import type { Device } from "../sessions/device";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import { MINUTE_MS } from "../time";
import { readFactor } from "../two-factor/codes";
import type { Factor } from "../two-factor/store";
import { findCredentialsByEmail, openSession } from "./store";

const VERIFICATION_MAIL_INTERVAL_MS = 2 * MINUTE_MS;

export interface Credentials {
  email: string;
  password: string;
  /** A TOTP or recovery code. */
  totp?: string | undefined;
  /** One of the user's tenants; the one joined last when missing. */
  tenantId?: string | undefined;
}

type StoredCredentials = NonNullable<Awaited<ReturnType<typeof findCredentialsByEmail>>>;

/**
 * Opens a session. Throws UNAUTHENTICATED, EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, SERVICE_UNAVAILABLE, and
 * NOT_FOUND for a tenant that the user is not a member of.
 */
export async function login(deps: Deps, input: Credentials, device: Device): Promise<OpenedSession> {
  const { stored, outdated } = await checkPassword(deps, input);
  if (stored.emailVerifiedAt === null && deps.config.emailVerification === "required") {
    await mailVerificationAgain(deps, stored.userId);
    throw new AppError("EMAIL_NOT_VERIFIED");
  }
  const factor = await checkSecondFactor(deps, stored, input);
  if (input.tenantId && input.tenantId !== stored.tenantId) throw notFound("Tenant");
  const draft = await draftSession(deps, stored.userId, device);
  const tenantId = await openSession(
    deps,
    {
      session: draft.row,
      tenantId: stored.tenantId,
      ownTenant: stored.tenantId === null ? { id: newId(), name: stored.name ?? "Personal" } : null,
      factor,
      passwordHash: stored.passwordHash,
      upgradedHash: outdated ? await hashPassword(input.password) : null,
    },
    deps.now(),
  );
  if (!tenantId) throw factor ? new AppError("INVALID_TOTP") : wrongPassword();
  if (factor) await deps.limiter.clearGuesses("totp", input.email);
  return openedSession(deps, draft, tenantId);
}

const wrongPassword = () => new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });

async function checkPassword(
  deps: Deps,
  input: Credentials,
): Promise<{ stored: StoredCredentials; outdated: boolean }> {
  const [stored] = await Promise.all([
    findCredentialsByEmail(deps, input.email, input.tenantId ?? null),
    deps.limiter.reserveGuess("password", input.email),
  ]);
  const { correct, outdated } = await verifyPassword(input.password, stored?.passwordHash ?? null);
  if (!stored || !correct) throw wrongPassword();
  await deps.limiter.clearGuesses("password", input.email);
  return { stored, outdated };
}

/** Returns null when the account has no second factor. The code is not used yet: `openSession` does that. */
async function checkSecondFactor(deps: Deps, stored: StoredCredentials, input: Credentials): Promise<Factor | null> {
  if (!stored.totpEnabledAt || !stored.totpSecretSealed) return null;
  if (input.totp === undefined) throw new AppError("TOTP_REQUIRED");
  await deps.limiter.reserveGuess("totp", input.email);
  const factor = await readFactor(deps, stored.userId, stored.totpSecretSealed, input.totp);
  if (!factor) throw new AppError("INVALID_TOTP");
  return factor;
}

async function mailVerificationAgain(deps: Deps, userId: string): Promise<void> {
  if (await claimVerificationMail(deps, userId, deps.now(), VERIFICATION_MAIL_INTERVAL_MS)) {
    await queueMail(deps, { kind: "verification", userId });
  }
}
