/** Registration: one write creates a user, a tenant (or joins one by invitation) and a first session. */
import { sha256Hex } from "../../platform/crypto/encoding";
import { hashPassword } from "../../platform/crypto/passwords";
import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { capReached } from "../../platform/limits/caps";
import { queueMailIfPossible } from "../../platform/mail/queue";
import type { ClientContext } from "../../platform/schemas/client-context";
import type { Device } from "../../platform/schemas/device";
import type { Registration as RegistrationRule } from "../../platform/schemas/settings";
import { nameOfOwnTenant } from "../../tenancy/tenants/name";
import { tellOfJoining } from "../../tenancy/tenants/owner-notices";
import { isAddressTaken } from "../addresses-store";
import { badInvitation } from "../invitations/invite";
import {
  findOpenInvitation,
  insertInvitedByToken,
  type NotJoined,
  type OpenInvitation,
} from "../invitations/join-store";
import { refuseGuessable } from "../passwords/guessable";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import { insertAccount, type NewUser } from "./store";

export interface Registration {
  email: string;
  password: string;
  name?: string | undefined;
  tenantName?: string | undefined;
  invitationToken?: string | undefined;
}

/**
 * Creates the account and queues the verification mail. Throws FORBIDDEN where registration is not open to the address,
 * EMAIL_TAKEN, INVALID_TOKEN for an invitation that is not open for this address, CONFLICT when its tenant has no room,
 * and VALIDATION_FAILED for a guessable password.
 */
export async function register(deps: Deps, input: Registration, client: ClientContext): Promise<OpenedSession> {
  if (input.invitationToken === undefined) refuseUninvited(deps.config.registration, input.email);
  refuseGuessable(deps.config, "password", input.password, input.email);
  if (input.invitationToken === undefined)
    return withNewTenant(deps, await newUser(input, client.device), input, client);
  const tokenHash = await sha256Hex(input.invitationToken);
  const invitation = await findOpenInvitation(deps, tokenHash, input.email, deps.now());
  if (!invitation) throw badInvitation();
  return intoTenant(deps, await newUser(input, client.device), invitation, client);
}

/** Throws FORBIDDEN where registration is not open to the address. */
export function refuseUninvited(registration: RegistrationRule, email: string): void {
  if (registration.for === "everybody") return;
  if (registration.for === "invited") throw new AppError("FORBIDDEN", { message: "Registration is by invitation." });
  if (!registration.domains.includes(email.slice(email.lastIndexOf("@") + 1))) {
    throw new AppError("FORBIDDEN", {
      message: `Registration is open to addresses of ${registration.domains.join(", ")} only.`,
    });
  }
}

const newUser = async ({ email, name, password }: Registration, device: Device): Promise<NewUser> => ({
  userId: newId(),
  email,
  name: name ?? null,
  passwordHash: await hashPassword(password),
  createdFrom: createdFrom(device),
});

/** "Firefox on Linux, Lisbon, PT". */
export const createdFrom = ({ kind, location }: Device): string => [kind, location].filter(Boolean).join(", ");

async function withNewTenant(
  deps: Deps,
  user: NewUser,
  input: Registration,
  client: ClientContext,
): Promise<OpenedSession> {
  const tenant = { id: newId(), name: input.tenantName ?? nameOfOwnTenant(input.name) };
  const draft = await draftSession(deps, user.userId, client.device);
  const opened = await orEmailTaken(insertAccount(deps, user, tenant, draft.row, client.origin, deps.now()));
  await queueMailIfPossible(deps, { kind: "verification", userId: user.userId });
  return openedSession(deps, draft, opened);
}

/** The invitation was mailed to this address, so the address counts as verified. */
async function intoTenant(
  deps: Deps,
  user: NewUser,
  invitation: OpenInvitation,
  client: ClientContext,
): Promise<OpenedSession> {
  const draft = await draftSession(deps, user.userId, client.device);
  const joined = await orEmailTaken(insertInvitedByToken(deps, user, invitation, draft.row, client.origin, deps.now()));
  if (typeof joined === "string") throw refusedJoining(deps, joined);
  tellOfJoining(deps, invitation, user);
  return openedSession(deps, draft, joined);
}

/** INVALID_TOKEN for an invitation that is closed, CONFLICT when its tenant has no room. */
export const refusedJoining = ({ config }: Deps, why: NotJoined): AppError =>
  why === "closed" ? badInvitation() : capReached("members", config.caps);

async function orEmailTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isAddressTaken(error)) throw new AppError("EMAIL_TAKEN");
    throw error;
  }
}
