/** Login: guess reserved first, equal work for known and unknown emails, one function that opens the session. */
import { verifyPassword } from "../crypto/passwords";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import type { Device } from "./device";
import { draftSession, type TokenPair } from "./sessions";
import { claimVerificationMail, findAccountByEmail, openSession } from "./store";

const VERIFICATION_MAIL_INTERVAL_MS = 120_000;

/** Throws UNAUTHENTICATED, EMAIL_NOT_VERIFIED, ACCOUNT_LOCKED. */
export async function login(
  deps: Deps,
  input: { email: string; password: string },
  device: Device,
): Promise<TokenPair> {
  const [account] = await Promise.all([
    findAccountByEmail(deps, input.email),
    deps.limiter.reserveGuess("password", input.email),
  ]);
  const { correct } = await verifyPassword(input.password, account?.passwordHash ?? null);
  if (!account || !correct) throw new AppError("UNAUTHENTICATED", { message: "Invalid email or password." });
  await deps.limiter.clearGuesses("password", input.email);
  if (account.emailVerifiedAt === null && deps.config.emailVerification === "required") {
    await mailVerificationAgain(deps, account.userId);
    throw new AppError("EMAIL_NOT_VERIFIED");
  }
  if (!account.tenantId) throw new AppError("FORBIDDEN");
  const { session, tokens } = await draftSession(deps, { userId: account.userId, tenantId: account.tenantId }, device);
  await openSession(deps, session, deps.now());
  return tokens;
}

async function mailVerificationAgain(deps: Deps, userId: string): Promise<void> {
  if (await claimVerificationMail(deps, userId, deps.now(), VERIFICATION_MAIL_INTERVAL_MS)) {
    await deps.mailQueue.send({ kind: "verification", userId });
  }
}
