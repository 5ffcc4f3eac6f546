/** Registration: a user with a tenant, their own or the one they are invited to, and a first session, in one write. */
import { sha256Hex } from "../crypto/encoding";
import { hashPassword } from "../crypto/passwords";
import { violatesUnique } from "../db/client";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { badInvitation } from "../invitations/invite";
import { findTenantByToken, insertInvitedByToken } from "../invitations/store";
import { queueMail } from "../mail/queue";
import { refuseGuessable } from "../passwords/guessable";
import type { Device } from "../sessions/device";
import { draftSession, type OpenedSession } from "../sessions/tokens";
import { insertAccount, type NewUser } from "./store";

export interface Registration {
  email: string;
  password: string;
  name?: string | undefined;
  tenantName?: string | undefined;
  invitationToken?: string | undefined;
}

/**
 * Creates the account and queues the verification mail. Throws EMAIL_TAKEN, INVALID_TOKEN for an invitation that is not
 * open for this address, VALIDATION_FAILED for a guessable password.
 */
export async function register(deps: Deps, input: Registration, device: Device): Promise<OpenedSession> {
  refuseGuessable(deps.config, "password", input.password, input.email);
  const user = async () => ({
    userId: newId(),
    email: input.email,
    name: input.name ?? null,
    passwordHash: await hashPassword(input.password),
  });
  if (input.invitationToken === undefined) return withNewTenant(deps, await user(), input, device);
  const tokenHash = await sha256Hex(input.invitationToken);
  const tenantId = await findTenantByToken(deps, tokenHash, input.email, deps.now());
  if (!tenantId) throw badInvitation();
  return intoTenant(deps, await user(), { tenantId, tokenHash }, device);
}

async function withNewTenant(deps: Deps, user: NewUser, input: Registration, device: Device): Promise<OpenedSession> {
  const tenant = { id: newId(), name: input.tenantName ?? input.name ?? "Personal" };
  const { session, tokens } = await draftSession(deps, { userId: user.userId, tenantId: tenant.id }, device);
  await orEmailTaken(insertAccount(deps, user, tenant, session, deps.now()));
  await queueMail(deps, { kind: "verification", userId: user.userId });
  return { session, tokens };
}

/** The invitation came by mail to this address, so the address is verified. */
async function intoTenant(
  deps: Deps,
  user: NewUser,
  invitation: { tenantId: string; tokenHash: string },
  device: Device,
): Promise<OpenedSession> {
  const { tenantId, tokenHash } = invitation;
  const { session, tokens } = await draftSession(deps, { userId: user.userId, tenantId }, device);
  const joined = await orEmailTaken(insertInvitedByToken(deps, user, tokenHash, session, deps.now()));
  if (!joined) throw badInvitation();
  return { session, tokens };
}

async function orEmailTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (violatesUnique(error, "users.email")) throw new AppError("EMAIL_TAKEN");
    throw error;
  }
}
