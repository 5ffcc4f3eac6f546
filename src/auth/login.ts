/** Login: guess reserved first, equal work for known and unknown emails, the second factor used up by the write that opens the session. */
import { hashPassword, verifyPassword } from "../crypto/passwords";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import { queueMail } from "../mail/queue";
import { claimVerificationMail } from "../recovery/store";
import type { Device } from "../sessions/device";
import { draftSession, type OpenedSession } from "../sessions/tokens";
import { readFactor } from "../two-factor/codes";
import type { Factor } from "../two-factor/store";
import { findAccountByEmail, openSession } from "./store";

const VERIFICATION_MAIL_INTERVAL_MS = 120_000;

export interface Credentials {
  email: string;
  password: string;
  /** A TOTP or a recovery code. */
  totp?: string | undefined;
  /** One of the user's tenants; the one joined last when missing. */
  tenantId?: string | undefined;
}

type Account = NonNullable<Awaited<ReturnType<typeof findAccountByEmail>>>;

/** Throws UNAUTHENTICATED, EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, NOT_FOUND (tenant). */
export async function login(deps: Deps, input: Credentials, device: Device): Promise<OpenedSession> {
  const { account, outdated } = await checkPassword(deps, input);
  if (account.emailVerifiedAt === null && deps.config.emailVerification === "required") {
    await mailVerificationAgain(deps, account.userId);
    throw new AppError("EMAIL_NOT_VERIFIED");
  }
  const factor = await checkSecondFactor(deps, account, input);
  if (input.tenantId && input.tenantId !== account.tenantId) throw notFound("Tenant");
  const ownTenant = account.tenantId ? null : { id: newId(), name: account.name ?? "Personal" };
  const tenantId = account.tenantId ?? ownTenant?.id ?? "";
  const { session, tokens } = await draftSession(deps, { userId: account.userId, tenantId }, device);
  const upgradedHash = outdated ? await hashPassword(input.password) : null;
  const opening = { session, factor, ownTenant, passwordHash: account.passwordHash, upgradedHash };
  if (!(await openSession(deps, opening, deps.now()))) {
    if (ownTenant && !factor) return login(deps, input, device);
    throw factor ? new AppError("INVALID_TOTP") : wrongPassword();
  }
  if (factor) await deps.limiter.clearGuesses("totp", input.email);
  return { session, tokens };
}

const wrongPassword = () => new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });

async function checkPassword(deps: Deps, input: Credentials): Promise<{ account: Account; outdated: boolean }> {
  const [account] = await Promise.all([
    findAccountByEmail(deps, input.email, input.tenantId ?? null),
    deps.limiter.reserveGuess("password", input.email),
  ]);
  const { correct, outdated } = await verifyPassword(input.password, account?.passwordHash ?? null);
  if (!account || !correct) throw wrongPassword();
  await deps.limiter.clearGuesses("password", input.email);
  return { account, outdated };
}

/** Null when the account has no second factor. The code is not used up yet: `openSession` does that. */
async function checkSecondFactor(deps: Deps, account: Account, input: Credentials): Promise<Factor | null> {
  if (!account.totpEnabledAt || !account.totpSecretSealed) return null;
  if (input.totp === undefined) throw new AppError("TOTP_REQUIRED");
  await deps.limiter.reserveGuess("totp", input.email);
  const factor = await readFactor(deps, account.userId, account.totpSecretSealed, input.totp);
  if (!factor) throw new AppError("INVALID_TOTP");
  return factor;
}

async function mailVerificationAgain(deps: Deps, userId: string): Promise<void> {
  if (await claimVerificationMail(deps, userId, deps.now(), VERIFICATION_MAIL_INTERVAL_MS)) {
    await queueMail(deps, { kind: "verification", userId });
  }
}
