/** Registration: a tenant, its owner and a first session, in one write. */
import { hashPassword } from "../crypto/passwords";
import { violatesUnique } from "../db/client";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { describeError, log } from "../log";
import type { Device } from "./device";
import { draftSession, type TokenPair } from "./sessions";
import { insertAccount } from "./store";

export interface Registration {
  email: string;
  password: string;
  name?: string | undefined;
  tenantName?: string | undefined;
}

/** Creates the account and queues the verification mail. Throws EMAIL_TAKEN. */
export async function register(deps: Deps, input: Registration, device: Device): Promise<TokenPair> {
  const passwordHash = await hashPassword(input.password);
  const account = {
    userId: newId(),
    tenantId: newId(),
    email: input.email,
    name: input.name ?? null,
    passwordHash,
    tenantName: input.tenantName ?? input.name ?? "Personal",
    role: "owner" as const,
  };
  const { session, tokens } = await draftSession(deps, account, device);
  try {
    await insertAccount(deps, account, session, deps.now());
  } catch (error) {
    if (violatesUnique(error, "users.email")) throw new AppError("EMAIL_TAKEN");
    throw error;
  }
  await queueWelcome(deps, account.userId);
  return tokens;
}

/** The account stands by now: a queue that is down costs the mail, which `resend-verification` sends again, not the sign-up. */
async function queueWelcome(deps: Deps, userId: string): Promise<void> {
  try {
    await deps.mailQueue.send({ kind: "verification", userId });
  } catch (error) {
    log("error", "verification mail not queued", { userId, ...describeError(error) });
  }
}
