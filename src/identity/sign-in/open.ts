/** Opens a session after a successful sign-in by any method. */

import { count } from "../../base/counts";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import { userActor } from "../../base/schemas/actor";
import type { ClientContext } from "../../base/schemas/client-context";
import type { Device } from "../../base/schemas/device";
import { MINUTE_MS } from "../../base/time";
import { nameOfOwnTenant } from "../../tenancy/tenants/name";
import { accountSuspended } from "../../tenancy/tenants/suspension";
import { claimVerificationMail } from "../accounts/verification-store";
import { tellOfBrokenGlass } from "../policy/broken-glass";
import { refuseWithoutSignOn, signOnRequired } from "../policy/sign-on-required";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import { conditionsOf, type SignInCredential } from "./credential-store";
import { writeSession } from "./store";

const VERIFICATION_MAIL_INTERVAL_MS = 2 * MINUTE_MS;

/** An account that somebody signs in to. */
export interface VerifiedAccount {
  userId: string;
  email: string;
  name: string | null;
  emailVerifiedAt: number | null;
  /** Null: not suspended. */
  suspendedAt: number | null;
  /** Null for a user who is a member of no tenant. */
  tenantId: string | null;
  /** Whether that tenant refuses the session, because it requires its own sign-on. */
  mustSignOn: 0 | 1;
}

/**
 * Throws FORBIDDEN for a suspended account, and EMAIL_NOT_VERIFIED where an address must be verified, after mailing the
 * link again. Call it only after a right credential: the answer tells that the account exists.
 */
export async function requireVerified(
  deps: Deps,
  { userId, emailVerifiedAt, suspendedAt }: VerifiedAccount,
): Promise<void> {
  if (suspendedAt !== null) throw accountSuspended();
  if (emailVerifiedAt !== null || deps.config.emailVerification === "optional") return;
  if (await claimVerificationMail(deps, userId, deps.now(), VERIFICATION_MAIL_INTERVAL_MS)) {
    await queueMailIfPossible(deps, { kind: "verification", userId });
  }
  throw new AppError("EMAIL_NOT_VERIFIED");
}

/**
 * Throws NOT_FOUND unless the user is a member of the requested tenant. The account was read with that tenant if they
 * are.
 */
export function requireMember(account: VerifiedAccount, tenantId: string | undefined): void {
  if (tenantId && tenantId !== account.tenantId) throw notFound("Tenant");
}

/**
 * Opens a session. Returns null when the credential was used before, or when it or the membership changed since they
 * were read. Throws NO_TENANT for a member of no tenant where nobody gets one of their own, and SIGN_ON_REQUIRED where
 * the tenant lets nobody in who has not signed on: the credential is right, so strangers learn nothing.
 */
export async function openSession(
  deps: Deps,
  { userId, email, tenantId, name, mustSignOn }: VerifiedAccount,
  credential: SignInCredential,
  client: ClientContext,
): Promise<OpenedSession | null> {
  if (tenantId === null && deps.config.personalTenants === "off") throw new AppError("NO_TENANT");
  if (tenantId !== null && mustSignOn === 1) throw await signOnRequired(deps, { tenantId, userId });
  const { device, origin } = client;
  const draft = await draftSession(deps, userId, device);
  const actor = userActor({ userId, email, sessionId: draft.row.id }, origin);
  const ownTenant = tenantId === null ? { id: newId(), name: nameOfOwnTenant(name) } : null;
  const revert = await newRevert(deps.keys, deps.now());
  const opened = await writeSession(
    deps,
    { session: draft.row, revert, tenantId, ownTenant, credential, actor },
    deps.now(),
  );
  if (!opened) {
    const { methods } = conditionsOf(userId, credential);
    if (tenantId !== null) await refuseWithoutSignOn(deps, { tenantId, userId }, methods);
    return null;
  }
  count("logins", "success");
  tellOfBrokenGlass(deps, opened.subject, email);
  if (credential.method !== "passkey" && credential.factor?.kind === "recovery") {
    await queueMailIfPossible(deps, { kind: "recoveryCodeUsed", userId });
  }
  if (credential.method === "provider" && credential.link) {
    const { provider, link } = credential;
    await queueMailIfPossible(deps, { kind: "identityLinked", id: link.revert.mailId, userId, provider });
  }
  if (opened.isNewDevice) await tellOfNewDevice(deps, userId, revert.mailId, device);
  return openedSession(deps, draft, opened.subject);
}

/** Tells the user of a sign-in from a device that is new, with the link for "this was not me". */
export async function tellOfNewDevice(deps: Deps, userId: string, mailId: string, device: Device): Promise<void> {
  const { kind, location, ipAddress } = device;
  const seen = { device: kind, location, ipAddress, signedInAt: deps.now() };
  await queueMailIfPossible(deps, { kind: "signedInOnNewDevice", id: mailId, userId, ...seen });
}
