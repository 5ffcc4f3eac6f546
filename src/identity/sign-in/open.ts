/** Opening the session of somebody who has proven who they are, by whatever method. */

import { newId } from "../../platform/db/ids";
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import { queueMailIfPossible } from "../../platform/mail/queue";
import { newUndo } from "../../platform/mail/undo-store";
import { userActor } from "../../platform/schemas/actor";
import type { Device } from "../../platform/schemas/device";
import type { Visit } from "../../platform/schemas/visit";
import { MINUTE_MS } from "../../platform/time";
import { accountSuspended } from "../../tenancy/tenants/suspension";
import { claimVerificationMail } from "../recovery/store";
import { draftSession, type OpenedSession, openedSession } from "../sessions/tokens";
import type { SignInProof } from "./proof-store";
import { openSession } from "./store";

const VERIFICATION_MAIL_INTERVAL_MS = 2 * MINUTE_MS;

/** An account that somebody signs in to. */
export interface ProvenAccount {
  userId: string;
  email: string;
  name: string | null;
  emailVerifiedAt: number | null;
  /** Null: not suspended. */
  suspendedAt: number | null;
  /** Null for a user who is a member of no tenant. */
  tenantId: string | null;
}

/**
 * Throws FORBIDDEN for a suspended account, and EMAIL_NOT_VERIFIED where an address must be verified, after mailing the
 * link again. Call it only after the proof was found right.
 */
export async function requireVerified(
  deps: Deps,
  { userId, emailVerifiedAt, suspendedAt }: ProvenAccount,
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
export function requireMember(account: ProvenAccount, tenantId: string | undefined): void {
  if (tenantId && tenantId !== account.tenantId) throw notFound("Tenant");
}

/**
 * Opens a session. Returns null when the proof was used before, or when it or the membership changed since they were
 * read.
 */
export async function openProven(
  deps: Deps,
  { userId, email, tenantId, name }: ProvenAccount,
  proof: SignInProof,
  visit: Visit,
): Promise<OpenedSession | null> {
  const { device, origin } = visit;
  const draft = await draftSession(deps, userId, device);
  const actor = userActor({ userId, email, sessionId: draft.row.id }, origin);
  const ownTenant = tenantId === null ? { id: newId(), name: name ?? "Personal" } : null;
  const undo = await newUndo(deps.keys, deps.now());
  const opened = await openSession(deps, { session: draft.row, undo, tenantId, ownTenant, proof, actor }, deps.now());
  if (!opened) return null;
  if (proof.method !== "passkey" && proof.factor?.kind === "recovery") {
    await queueMailIfPossible(deps, { kind: "recoveryCodeUsed", userId });
  }
  if (proof.method === "provider" && proof.link) {
    const { provider, link } = proof;
    await queueMailIfPossible(deps, { kind: "identityLinked", id: link.undo.mailId, userId, provider });
  }
  if (opened.isNewDevice) await tellOfNewDevice(deps, userId, undo.mailId, device);
  return openedSession(deps, draft, opened.tenantId);
}

async function tellOfNewDevice(deps: Deps, userId: string, mailId: string, device: Device): Promise<void> {
  const { kind, location, ipAddress } = device;
  const seen = { device: kind, location, ipAddress, signedInAt: deps.now() };
  await queueMailIfPossible(deps, { kind: "signedInOnNewDevice", id: mailId, userId, ...seen });
}
