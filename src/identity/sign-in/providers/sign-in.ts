/** Signing in with a provider: the last step, in which the client's page exchanges its code for a session. */

import { newId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { AppError, type ErrorCode, notFound } from "../../../base/errors";
import { queueMailIfPossible } from "../../../base/mail/queue";
import { newRevert } from "../../../base/mail/revert-store";
import type { Cookies } from "../../../base/operation";
import { userActor } from "../../../base/schemas/actor";
import type { ClientContext } from "../../../base/schemas/client-context";
import { strangerTo } from "../../../tenancy/audit/record-store";
import { tellOfJoining } from "../../../tenancy/tenants/owner-notices";
import {
  findCredentialsByEmail,
  findCredentialsOfUser,
  type StoredCredentials,
} from "../../accounts/credentials-store";
import { refuseTenantless, refuseUninvited } from "../../accounts/registration";
import { checkMailCode } from "../../accounts/verify";
import { isAddressTaken } from "../../addresses-store";
import type { EnteredCode } from "../../email-codes/verify";
import { badInvitation } from "../../invitations/invite";
import { acceptInvitationByToken, findOpenInvitation, type OpenInvitation } from "../../invitations/join-store";
import { signOnRequired } from "../../policy/sign-on-required";
import type { ProviderIdentity } from "../../providers/identity";
import { providerLabel } from "../../providers/labels";
import { RESULT_COOKIE } from "../../providers/providers";
import { openSignInResult, prolonged, type SignInResult } from "../../providers/sign-in-result";
import { findUserByIdentity } from "../../providers/store";
import { deviceKeys } from "../../sessions/known-devices";
import type { OpenedSession } from "../../sessions/tokens";
import { requireVerified } from "../open";
import { completeSignIn, type SignInChoice } from "../second-factor";
import { createdFrom, refusedJoining } from "../signup";
import { insertInvitedProviderAccount, insertProviderAccount } from "./account-store";
import { isAskedForProof, requireProof } from "./proof";

/** The one refusal for a code that is unknown, used, expired or sent by another browser. */
export const badCode = () => new AppError("INVALID_TOKEN", { message: "Invalid or expired code." });

/** After these errors, the person types something, and the code waits for it. */
const WAITING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["TOTP_REQUIRED", "CONFLICT", "INVALID_CODE"]);

/** Whether the code waits for what the person types. */
export const isWaiting = (error: AppError): boolean => WAITING.has(error.code) || isAskedForProof(error);

/** A code, and what else the client's page sends. `mailCode` allows to link an account that has the same address. */
export type Exchange = SignInChoice & { code: string; mailCode?: EnteredCode | undefined };

/**
 * Opens a session with a code, in the browser whose cookie matches the code. If a second factor is needed, the code
 * stays valid for some minutes more; otherwise the cookie ends. Throws INVALID_TOKEN for a code that has expired or
 * does not match the cookie, and as `signInAs`.
 */
export async function loginWithProvider(
  deps: Deps,
  { code, mailCode, ...choice }: Exchange,
  cookies: Cookies,
  client: ClientContext,
): Promise<OpenedSession> {
  const result = await openSignInResult(deps, cookies.get(RESULT_COOKIE), code);
  if (!result) throw badCode();
  try {
    const opened = await signInAs(deps, result, { ...choice, mailCode }, client);
    cookies.delete(RESULT_COOKIE);
    return opened;
  } catch (error) {
    if (error instanceof AppError && isWaiting(error)) {
      const { sealed, expiresAt } = await prolonged(deps, result);
      cookies.set(RESULT_COOKIE, sealed, expiresAt);
    }
    throw error;
  }
}

/** Whom a code signs in, for a page that asks for more. Throws INVALID_TOKEN as `loginWithProvider` does. */
export async function readSignIn(deps: Deps, code: string, sealed: string | undefined) {
  const result = await openSignInResult(deps, sealed, code);
  if (!result?.identity.email) throw badCode();
  const { email, provider } = result.identity;
  return { email, label: providerLabel(deps.config, provider) };
}

/**
 * Opens a session for the person at the provider, with a new account if there is none, and accepts the invitation that
 * they came with. Throws INVALID_TOKEN for a used code and, if there is no account, for an invitation that is not open
 * for the address; CONFLICT if an account with the address must be linked first, or the tenant has no room; FORBIDDEN
 * if registration is not open to the person; EMAIL_NOT_VERIFIED, TOTP_REQUIRED, INVALID_TOTP, ACCOUNT_LOCKED; NOT_FOUND
 * for a tenant that the user is not a member of.
 */
async function signInAs(
  deps: Deps,
  { identity, stateId, invitationHash }: SignInResult,
  choice: Omit<Exchange, "code">,
  client: ClientContext,
): Promise<OpenedSession> {
  const { stored, isNew, mailId } = await findOrCreate(deps, { identity, invitationHash }, choice, client);
  await requireVerified(deps, stored);
  const { provider, issuer, sub } = identity;
  const link = isNew ? { identity, revert: await newRevert(deps.keys, deps.now()) } : null;
  const first = { method: "provider", provider, use: { issuer, sub, stateId }, link, mailId } as const;
  const opened = await completeSignIn(deps, stored, first, choice, client);
  if (!opened) throw badCode();
  if (invitationHash) {
    const actor = userActor({ ...opened.session, email: stored.email }, client.origin);
    // A new account has joined already. If the address is not the invited one, the invitation stays open.
    const joined = await acceptInvitationByToken(deps, { ...opened.session, actor }, invitationHash, deps.now());
    if (typeof joined === "object") tellOfJoining(deps, joined, stored);
  }
  return opened;
}

/** Whom a sign-in opens a session for. */
interface Found {
  stored: StoredCredentials;
  /** Whether the sign-in still has to link the identity to the account. */
  isNew: boolean;
  /** The mail whose code has proven the address; null where none was needed. */
  mailId: string | null;
}

/** The account of an identity. */
async function findOrCreate(
  deps: Deps,
  { identity, invitationHash }: Pick<SignInResult, "identity" | "invitationHash">,
  { tenantId, mailCode }: Omit<Exchange, "code">,
  client: ClientContext,
): Promise<Found> {
  const proven = (account: StoredCredentials) => provenAccount(deps, account, { tenantId, mailCode }, client);
  const userId = await findUserByIdentity(deps, identity);
  const known = userId && (await findCredentialsOfUser(deps, userId, tenantId, "provider"));
  if (known) return isProvable(deps, known, identity) ? proven(known) : { stored: known, isNew: false, mailId: null };
  const label = providerLabel(deps.config, identity.provider);
  const { email } = identity;
  if (email === null) throw new AppError("FORBIDDEN", { message: noAddress(label, identity) });
  const stored = await findCredentialsByEmail(deps, email, tenantId ?? null, "provider");
  if (stored) return findByAddress(deps, { ...identity, email }, stored, { tenantId, mailCode }, client);
  const invitation = invitationHash ? await readInvitation(deps, invitationHash, email) : null;
  if (!invitation) {
    refuseUninvited(deps.config.registration, { email });
    refuseTenantless(deps.config, {});
  }
  if (tenantId && tenantId !== invitation?.tenantId) throw notFound("Tenant");
  const isVouched = vouchesFor(deps, { ...identity, email });
  const { emailVerification, mailCode: codes } = deps.config;
  // The token of an invitation has been mailed to the address.
  const needsProof = !isVouched && !invitation && emailVerification === "required" && codes === "on";
  const mailId = needsProof ? await requireProof(deps, { email, stored: undefined }, mailCode, client) : null;
  const person = { ...identity, email, emailVerified: isVouched || mailId !== null };
  return { stored: await create(deps, person, invitation, client), isNew: false, mailId };
}

const noAddress = (label: string, { givenEmail }: ProviderIdentity): string =>
  givenEmail ? `${label} gave an address that no account can have.` : `${label} gave no email address.`;

/** Whether a code can prove the address of an account that has the identity and was never verified. */
const isProvable = ({ config }: Deps, account: StoredCredentials, { email }: ProviderIdentity): boolean =>
  account.emailVerifiedAt === null &&
  account.email === email &&
  config.emailVerification === "required" &&
  config.mailCode === "on";

/** An account with the address of the identity. Throws CONFLICT where no code helps. */
async function findByAddress(
  deps: Deps,
  identity: ProviderIdentity & { email: string },
  stored: StoredCredentials,
  { tenantId, mailCode }: Pick<Exchange, "tenantId" | "mailCode">,
  client: ClientContext,
): Promise<Found> {
  const { email, emailVerified } = identity;
  const { linkByEmail, mailCode: codes, operators } = deps.config;
  const label = providerLabel(deps.config, identity.provider);
  if (operators.includes(email)) throw mustLink(label);
  if (emailVerified && stored.emailVerifiedAt !== null) {
    return { stored, isNew: true, mailId: await requireConsent(deps, stored, mailCode, label, client) };
  }
  if (emailVerified || linkByEmail === "never" || codes === "off") throw mustLink(label);
  return provenAccount(deps, stored, { tenantId, mailCode }, client);
}

/** The account once a code has proven its address. Throws as `requireProof`. */
async function provenAccount(
  deps: Deps,
  account: StoredCredentials,
  { tenantId, mailCode }: Pick<Exchange, "tenantId" | "mailCode">,
  client: ClientContext,
): Promise<Found> {
  const mailId = await requireProof(deps, { email: account.email, stored: account }, mailCode, client);
  const stored = await findCredentialsOfUser(deps, account.userId, tenantId, "provider");
  if (!stored) throw badCode();
  return { stored, isNew: true, mailId };
}

async function readInvitation(deps: Deps, tokenHash: string, email: string): Promise<OpenInvitation> {
  const invitation = await findOpenInvitation(deps, tokenHash, email, deps.now());
  if (!invitation) throw badInvitation();
  if (invitation.mustSignOn === 1) throw await signOnRequired(deps, { tenantId: invitation.tenantId, userId: "" });
  return invitation;
}

/** Whether the provider's word is enough for the address. It never is for an operator's. */
const vouchesFor = ({ config }: Deps, { email, emailVerified }: { email: string; emailVerified: boolean }): boolean =>
  emailVerified && !config.operators.includes(email);

/**
 * Requires that the owner of the address agrees to link the provider. Returns the id of the mail whose code says so;
 * null where LINK_BY_EMAIL asks for none. Throws CONFLICT, INVALID_CODE and ACCOUNT_LOCKED.
 */
async function requireConsent(
  deps: Deps,
  { userId, tenantId, email }: StoredCredentials,
  entered: EnteredCode | undefined,
  label: string,
  { origin }: ClientContext,
): Promise<string | null> {
  const { linkByEmail, mailCode } = deps.config;
  if (linkByEmail === "always") return null;
  if (linkByEmail === "never" || mailCode === "off") throw mustLink(label);
  if (!entered) throw needsConsent(label);
  return checkMailCode(deps, { userId, tenantId, actor: strangerTo(userId, origin) }, email, entered);
}

/** A CONFLICT that a mailed code resolves. Its details say so. */
const needsConsent = (label: string) =>
  new AppError("CONFLICT", {
    message:
      "An account with this email address exists. Send a code that was mailed to it, or sign in to it in another way " +
      `and then link ${label}.`,
    details: [{ path: CONSENT, message: "Needed to link the account" }],
  });

/** The member of an exchange that links an account with the same address. */
export const CONSENT = "mailCode";

const mustLink = (label: string) =>
  new AppError("CONFLICT", {
    message: `An account with this email address exists. Sign in to it in another way first, and then link ${label}.`,
  });

async function create(
  deps: Deps,
  identity: ProviderIdentity & { email: string },
  invitation: OpenInvitation | null,
  { device, locale, origin }: ClientContext,
): Promise<StoredCredentials> {
  const userId = newId();
  const [deviceKey] = await deviceKeys(deps.keys, userId, device);
  const account = {
    userId,
    email: identity.email,
    identity,
    createdFrom: createdFrom(device),
    locale,
    deviceKey,
    origin,
  };
  try {
    if (!invitation) await insertProviderAccount(deps, account, deps.now());
    else {
      const joined = await insertInvitedProviderAccount(deps, account, invitation, deps.now());
      if (joined !== "joined") throw refusedJoining(deps, joined);
      tellOfJoining(deps, invitation, account);
    }
  } catch (error) {
    // Another request has created it in the meantime.
    if (isAddressTaken(error)) throw mustLink(providerLabel(deps.config, identity.provider));
    throw error;
  }
  const stored = await findCredentialsOfUser(deps, userId, null, "provider");
  if (!stored) throw badCode();
  if (stored.emailVerifiedAt === null) await queueMailIfPossible(deps, { kind: "verification", userId });
  return stored;
}
