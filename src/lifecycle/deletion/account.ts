/** Deleting one's own account. Access ends at once; the purge removes the rest and then mails the former address. */

import type { Deps } from "../../base/deps";
import { AppError, invalid } from "../../base/errors";
import { log } from "../../base/log/log";
import type { StepUp } from "../../base/operation";
import type { PlatformKeyPrincipal, SessionPrincipal } from "../../base/schemas/principal";
import { findCredentialsOfUser } from "../../identity/accounts/credentials-store";
import { checkPassword, withCode } from "../../identity/accounts/verify";
import { type EndedApiKey, namesOfKeys } from "../../identity/members/ended-keys";
import { tellOfMember } from "../../identity/members/tell";
import { requireCustomer } from "../../identity/platform-keys/subjects";
import { isConfirmed, recentSignIn, requireStepUp } from "../../identity/step-up/confirm";
import { type Factor, hasSecondFactor } from "../../identity/two-factor/store";
import { endSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";
import { type AccountDeletionOutcome, deleteUser } from "./account-store";

export interface AccountDeletionRequest {
  /** Not needed by an account that has none. */
  password?: string | undefined;
  totp?: string | undefined;
  deleteTenants?: boolean | undefined;
}

/** The step-up of the deletion, which checks the password itself. An account without one needs a recent sign-in. */
export const recentSignInOrPassword: StepUp<AccountDeletionRequest> = {
  ...recentSignIn,
  when: ({ password }) => password === undefined,
  async check(deps, session) {
    if (isConfirmed(deps, session)) return;
    const user = await findCredentialsOfUser(deps, session.userId);
    if (user?.passwordHash === "") await requireStepUp(deps, session);
  },
};

/**
 * Deletes the caller's account. Returns the API keys that ended. Throws VALIDATION_FAILED if the password of an account
 * that has one is missing, WRONG_PASSWORD, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED, LAST_OWNER for somebody whom
 * other members need as an owner, and CONFLICT for the only member of a suspended tenant, or of any tenant without
 * `deleteTenants`.
 */
export async function deleteAccount(
  deps: Deps,
  caller: SessionPrincipal,
  { password, totp, deleteTenants = false }: AccountDeletionRequest,
): Promise<EndedApiKey[]> {
  const { userId, actor } = caller;
  const user = await findCredentialsOfUser(deps, userId);
  if (!user) throw new AppError("UNAUTHENTICATED");
  if (password !== undefined) await checkPassword(deps, caller, user, password);
  else if (user.passwordHash !== "") throw invalid({ issues: [{ path: ["password"], message: "Give your password" }] });
  const deletion = {
    userId,
    passwordHash: user.passwordHash,
    deleteTenants,
    tellsUnverified: deps.config.emailVerification === "optional",
    requestId: actor.requestId,
  };
  const write = (factor: Factor | null) => deleteUser(deps, { ...deletion, factor }, deps.now());
  const outcome = hasSecondFactor(user) ? await writeWithCode(deps, caller, user, totp, write) : await write(null);
  const deleted = requireDeleted(outcome);
  finishDeletion(deps, userId, deleted);
  tellOthers(deps, userId, deleted, { what: "left", person: caller.account.email });
  return deleted.endedKeys;
}

/**
 * Deletes an account with a platform key. Returns the API keys that ended. Throws NOT_FOUND, FORBIDDEN for an
 * operator's, LAST_OWNER for somebody whom other members need as an owner, and CONFLICT as `deleteAccount`.
 */
export async function deleteAccountBy(
  deps: Deps,
  key: PlatformKeyPrincipal,
  name: string,
  deleteTenants = false,
): Promise<EndedApiKey[]> {
  const { userId, email } = await requireCustomer(deps, name);
  const { actor } = key;
  const deletion = {
    userId,
    passwordHash: null,
    factor: null,
    deleteTenants,
    tellsUnverified: deps.config.emailVerification === "optional",
    requestId: actor.requestId,
    by: actor,
  };
  const deleted = requireDeleted(await deleteUser(deps, deletion, deps.now()), "The user is");
  finishDeletion(deps, userId, deleted);
  tellOthers(deps, userId, deleted, { what: "removed", by: actor.name ?? "A platform key", person: email });
  return deleted.endedKeys;
}

type Deleted = Extract<AccountDeletionOutcome, { kind: "deleted" }>;

function finishDeletion(deps: Deps, userId: string, { tenants }: Deleted): void {
  log("info", "account deleted", { userId, count: tenants.length });
  deps.background("end subscriptions", endSubscriptions(deps, tenants));
}

/** Tells the owners of the tenants that go on, as when a member leaves or is removed. */
function tellOthers(deps: Deps, userId: string, { left, endedKeys }: Deleted, news: MembershipEnd): void {
  for (const { tenantId, role } of left) {
    const keys = namesOfKeys(endedKeys.filter((key) => key.tenantId === tenantId));
    tellOfMember(deps, { tenantId, userId, formerRole: role, role: null }, { ...news, keys });
  }
}

type MembershipEnd = { what: "left"; person: string } | { what: "removed"; by: string; person: string };

function writeWithCode(
  deps: Deps,
  caller: SessionPrincipal,
  user: Parameters<typeof withCode>[2],
  totp: string | undefined,
  write: (factor: Factor) => Promise<AccountDeletionOutcome>,
): Promise<AccountDeletionOutcome> {
  if (totp === undefined) throw new AppError("TOTP_REQUIRED");
  return withCode(deps, caller, user, totp, async (factor) => {
    const outcome = await write(factor);
    return outcome.kind === "stale" ? null : outcome;
  });
}

function requireDeleted(outcome: AccountDeletionOutcome, who = "You are"): Deleted {
  if (outcome.kind === "deleted") return outcome;
  if (outcome.kind === "stale") throw new AppError("UNAUTHENTICATED");
  const names = outcome.tenantNames.join(", ");
  if (outcome.kind === "lastOwner") {
    throw new AppError("LAST_OWNER", {
      message: `${who} the last owner of ${names}. Make somebody else an owner, or delete the tenant, first.`,
    });
  }
  if (outcome.kind === "suspended") {
    throw new AppError("CONFLICT", {
      message: `${who} the only member of ${names}, which is suspended. Ask the operator of this service.`,
    });
  }
  throw new AppError("CONFLICT", {
    message: `${who} the only member of ${names}. Send "deleteTenants": true to delete what belongs to it as well.`,
  });
}

/** Stops the deliveries of deleted tenants now. The purge also does this, at its next run. */
async function endSubscriptions(deps: Deps, tenants: Deleted["tenants"]): Promise<void> {
  for (const tenant of tenants) await endSubscriptionsOfTenant(deps, tenant, deps.now());
}
