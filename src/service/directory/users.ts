/** What a platform key does with people's accounts, but for those of operators. */

import { hashPassword } from "../../base/crypto/passwords";
import { violates } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { queueMail } from "../../base/mail/queue";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { pageOf } from "../../base/schemas/time-page-schemas";
import { isAddressTaken } from "../../identity/addresses-store";
import { refuseGuessable } from "../../identity/passwords/guessable";
import { aboutPerson } from "../../identity/platform-keys/audit-store";
import { refuseOperators, requireCustomer, requireUser } from "../../identity/platform-keys/subjects";
import { resendVerification } from "../../identity/recovery/email-verification";
import type { UserRecord } from "../../tenancy/directory/schemas";
import { userView } from "../../tenancy/directory/view";
import { endSessionsOfUser, resumeUser, suspendUser } from "../operators/suspend-store";
import type { NewPlatformUser, UserChange, UserQuery } from "./schemas";
import { findUser, insertUser, listUsers, updateUser } from "./users-store";

type Key = PlatformKeyPrincipal;

/** A page of the users, least recently updated first. */
export async function usersOf(deps: Deps, { limit, cursor, updatedSince, externalId, email }: UserQuery) {
  const rows = await listUsers(deps, { limit, after: cursor, updatedSince, externalId, email });
  return pageOf(rows, limit, ({ updatedAt, id }) => ({ at: updatedAt, id }), userView);
}

/** A user with their tenants. Throws NOT_FOUND. */
export async function userOf(deps: Deps, ref: string) {
  const found = await findUser(deps, (await requireUser(deps, ref)).userId);
  if (!found) throw notFound("User");
  return { ...userView(found.row), tenants: found.tenants };
}

const taken = () => new AppError("CONFLICT", { message: "Another user has this externalId." });

/**
 * Creates an account without a tenant, and mails nothing. The same external id again returns the user that is there.
 * Throws FORBIDDEN for an operator's address, VALIDATION_FAILED for a guessable password, EMAIL_TAKEN, and CONFLICT if
 * the user that is there is another one.
 */
export async function createUser(
  deps: Deps,
  key: Key,
  input: NewPlatformUser,
): Promise<{ user: UserRecord; isNew: boolean }> {
  const { email, name, password, externalId = null, emailVerified, locale = null, metadata, publicMetadata } = input;
  refuseOperators(deps, email);
  if (password !== undefined) await refuseGuessable(deps, "password", password, email);
  const passwordHash = password === undefined ? "" : await hashPassword(password);
  const user = {
    id: newId(),
    email,
    name: name ?? null,
    passwordHash,
    externalId,
    emailVerified: emailVerified ?? false,
    locale,
    metadata,
    publicMetadata,
  };
  const { row, isNew } = await orEmailTaken(insertUser(deps, key, user, deps.now()));
  if (!row) throw new Error("the user was not created");
  const record = userView(row);
  const differs =
    record.email !== email ||
    (name !== undefined && record.name !== name) ||
    (emailVerified !== undefined && record.emailVerified !== emailVerified);
  if (differs) throw taken();
  return { user: record, isNew };
}

async function orEmailTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isAddressTaken(error)) throw new AppError("EMAIL_TAKEN");
    throw error;
  }
}

/** Throws NOT_FOUND, FORBIDDEN for an operator's account or address, EMAIL_TAKEN, CONFLICT for a taken external id. */
export async function changeUser(
  deps: Deps,
  key: Key,
  ref: string,
  { name, email, externalId, emailVerified, locale, metadata, publicMetadata }: UserChange,
): Promise<UserRecord> {
  if (email !== undefined) refuseOperators(deps, email);
  const { userId } = await requireCustomer(deps, ref);
  try {
    const update = { name, email, externalId, emailVerified, locale, metadata, publicMetadata };
    const { row, isFree } = await orEmailTaken(updateUser(deps, key, userId, update, deps.now()));
    if (!row) throw notFound("User");
    if (!isFree) throw new AppError("EMAIL_TAKEN");
    return userView(row);
  } catch (error) {
    if (violates(error, "UNIQUE", "users.external_id")) throw taken();
    throw error;
  }
}

/** Suspends a person: all sessions end, and logins and their API keys are refused. Throws NOT_FOUND, FORBIDDEN. */
export async function suspendUserBy(deps: Deps, key: Key, ref: string, reason: string): Promise<void> {
  const { userId } = await requireCustomer(deps, ref);
  const events = aboutPerson(key, userId, "user.suspended", { reason });
  await suspendUser(deps, { userId, reason, keepApiKeys: false }, events, deps.now());
}

/** Lets a suspended person sign in again. Throws NOT_FOUND, FORBIDDEN. */
export async function resumeUserBy(deps: Deps, key: Key, ref: string, reason: string): Promise<void> {
  const { userId } = await requireCustomer(deps, ref);
  await resumeUser(deps, userId, aboutPerson(key, userId, "user.resumed", { reason }));
}

/** Ends all sessions of a person, in all tenants. Throws NOT_FOUND, FORBIDDEN. */
export async function endSessionsBy(deps: Deps, key: Key, ref: string, reason: string): Promise<void> {
  const { userId } = await requireCustomer(deps, ref);
  await endSessionsOfUser(deps, userId, aboutPerson(key, userId, "session.revoked", { reason }));
}

/** Mails a person a link. Returns what happened. Throws NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function mailUser(deps: Deps, ref: string, kind: "verification" | "password-reset") {
  const { userId, email } = await requireUser(deps, ref);
  if (kind === "password-reset") {
    await queueMail(deps, { kind: "passwordReset", email });
    return "Mail queued." as const;
  }
  const answer = await resendVerification(deps, userId);
  return answer === "Email already verified." ? answer : ("Mail queued." as const);
}
