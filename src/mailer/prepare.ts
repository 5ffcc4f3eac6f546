/** Turns a job into a mail: looks up whom it goes to, and stores the hash of the token that it carries. */

import type { Deps } from "../base/deps";
import type { RuleName } from "../base/limits/rules";
import type { MailJob } from "../base/mail/job";
import { mailToken, mailTokensOfKeys } from "../base/mail/token";
import type { ProviderName } from "../base/schemas/schemas";
import { DAY_MS, HOUR_MS } from "../base/time";
import { insertVerificationToken } from "../identity/accounts/verification-store";
import { isExpired, mailCode } from "../identity/email-codes/code";
import { insertInvitationToken } from "../identity/invitations/store";
import { namesOfOlderConnections } from "../identity/members/left-connections";
import { namesOfOlderKeys } from "../identity/members/left-keys";
import { namesOfOlder } from "../identity/members/left-subscriptions";
import { opensByMail } from "../identity/passwords/off";
import { countPortalLinks } from "../identity/portal/ended-store";
import { findEmailConfirmation, findEmailWarning } from "../identity/profile/email-change-store";
import { providerLabel } from "../identity/providers/labels";
import { insertResetTokenByEmail } from "../identity/recovery/password-store";
import { insertRemovalToken } from "../identity/recovery/two-factor-removal-store";
import { alarmMail } from "./alarm-mail";
import * as notices from "./notices";
import { passwordChangedMail } from "./password-notices";
import type { MailContent } from "./render";
import { findCodeRecipientByEmail, findNoticeRecipient, findStoredHash, type NoticeRecipient } from "./store";
import { subscriptionNoticeMail } from "./subscription-notices";
import { operatorNoticeMail, tenantNoticeMail } from "./tenant-notices";
import {
  codeMail,
  factorRemovalMail,
  invitationMail,
  newEmailMail,
  reclaimedMail,
  resetMail,
  verificationMail,
} from "./token-mails";
import { withoutNames } from "./unverified";

const VERIFICATION_LIFETIME_MS = DAY_MS;
const RESET_LIFETIME_MS = HOUR_MS;
const REMOVAL_LIFETIME_MS = DAY_MS;

export interface PreparedMail {
  to: string;
  mail: MailContent;
  /** The limits that count this mail for its address. */
  limits: readonly RuleName[];
}

type TokenJob = Extract<
  MailJob,
  { kind: "verification" | "passwordReset" | "invitation" | "accountTakenOver" | "twoFactorRemoval" }
>;
type EmailChangeJob = Extract<MailJob, { kind: "emailConfirmation" | "emailChanged" }>;
type CodeJob = Extract<MailJob, { kind: "mailCode" }>;
type FarewellJob = Extract<MailJob, { kind: "accountDeleted" }>;
type AlarmJob = Extract<MailJob, { kind: "alarm" }>;
type NoticeJob = Exclude<MailJob, TokenJob | EmailChangeJob | CodeJob | FarewellJob | AlarmJob>;

/** Returns null for a job whose reason is gone: user deleted, address verified, invitation revoked, code expired. */
export function prepareMail(deps: Deps, job: MailJob): Promise<PreparedMail | null> {
  switch (job.kind) {
    case "verification":
    case "passwordReset":
    case "invitation":
    case "accountTakenOver":
    case "twoFactorRemoval":
      return prepareWithToken(deps, job);
    case "emailConfirmation":
    case "emailChanged":
      return prepareEmailChange(deps, job);
    case "mailCode":
      return prepareCode(deps, job);
    case "accountDeleted":
      return Promise.resolve(prepareFarewell(job));
    case "alarm":
      return Promise.resolve(prepareAlarm(deps, job));
    default:
      return prepareNotice(deps, job);
  }
}

async function prepareWithToken(deps: Deps, job: TokenJob): Promise<PreparedMail | null> {
  const { appUrl } = deps.config;
  const nowMs = deps.now();
  if (job.kind === "verification") {
    const { token, hash } = await mailToken(deps.keys, "verify", job.id);
    const stored = { hash, expiresAt: nowMs + VERIFICATION_LIFETIME_MS };
    const user = await insertVerificationToken(deps, job.userId, stored, nowMs);
    if (!user) return null;
    const provider = user.provider && providerLabel(deps.config, user.provider);
    const losesPasskey = user.hasPasskey === 1 && opensByMail(deps.config);
    const mail = verificationMail(appUrl, user, { provider, losesPasskey }, token);
    return { to: user.email, mail, limits: ["verificationMail"] };
  }
  if (job.kind === "invitation") {
    const { token, hash } = await mailToken(deps.keys, "invite", job.id);
    const guest = await insertInvitationToken(deps, job.tenantId, job.invitationId, hash, nowMs);
    return guest && { to: guest.email, mail: invitationMail(appUrl, guest, token), limits: ["invitationMail"] };
  }
  if (job.kind === "twoFactorRemoval") {
    const { token, hash } = await mailToken(deps.keys, "remove-factor", job.id);
    const user = await insertRemovalToken(deps, job.userId, { hash, expiresAt: nowMs + REMOVAL_LIFETIME_MS }, nowMs);
    if (!user || user.emailVerifiedAt === null) return null;
    return { to: user.email, mail: factorRemovalMail(appUrl, user.name, token), limits: ["notice"] };
  }
  const email = job.kind === "passwordReset" ? job.email : (await findNoticeRecipient(deps, job.userId, nowMs))?.email;
  if (email === undefined) return null;
  const { token, hash } = await mailToken(deps.keys, "reset", job.id);
  const stored = { hash, expiresAt: nowMs + RESET_LIFETIME_MS };
  const origin = job.kind === "passwordReset" ? (job.origin ?? null) : null;
  const user = await insertResetTokenByEmail(deps, email, stored, origin, nowMs);
  if (!user) return null;
  const mail =
    job.kind === "passwordReset" ? resetMail(appUrl, user.name, token, job) : reclaimedMail(appUrl, job, token);
  return { to: user.email, mail, limits: [] };
}

/**
 * The mail to the former address has no limit: an intruder could use it up first. How often a change can be asked for
 * bounds it.
 */
async function prepareEmailChange(deps: Deps, job: EmailChangeJob): Promise<PreparedMail | null> {
  const { appUrl, operators } = deps.config;
  const isNew = job.kind === "emailConfirmation";
  for (const { token, hash } of await mailTokensOfKeys(deps.keys, isNew ? "change-email" : "undo", job.id)) {
    const change = isNew ? await findEmailConfirmation(deps, hash, deps.now()) : await findEmailWarning(deps, hash);
    if (!change) continue;
    const { email: to } = change;
    if (!isNew)
      return { to, mail: notices.emailChangedMail({ appUrl, revertToken: token }, change, job.isDone), limits: [] };
    const isFree = change.isTaken === 0 && !operators.includes(to);
    return { to, mail: newEmailMail(appUrl, change, isFree ? token : null), limits: ["verificationMail"] };
  }
  return null;
}

/** Returns null for an expired code, which would only confuse. */
async function prepareCode(deps: Deps, { id, email, asker }: CodeJob): Promise<PreparedMail | null> {
  if (isExpired(id, deps.now())) return null;
  const user = await findCodeRecipientByEmail(deps, email);
  return user && { to: user.email, mail: codeMail(user, await mailCode(deps.keys, id), asker), limits: [] };
}

/** Needs no check of the address: the deletion has already checked that notices may go to it. */
const prepareFarewell = ({ email, name, deletedAt }: FarewellJob): PreparedMail => ({
  to: email,
  mail: notices.accountDeletedMail(name, deletedAt),
  limits: ["notice"],
});

/** The setting may have gone since the job was queued. */
const prepareAlarm = ({ config }: Deps, job: AlarmJob): PreparedMail | null =>
  config.alertMail === null ? null : { to: config.alertMail, mail: alarmMail(config, job), limits: ["alertMail"] };

/**
 * The owner of an unverified address may not be the owner of the account. So notices go to verified addresses only;
 * where verification is optional, those to others are without the words of a stranger.
 */
async function prepareNotice(deps: Deps, job: NoticeJob): Promise<PreparedMail | null> {
  const user = await findNoticeRecipient(deps, job.userId, deps.now());
  if (!user) return null;
  const limits = limitsOf(job);
  if (user.emailVerifiedAt !== null) return { to: user.email, mail: await noticeOf(deps, job, user), limits };
  const shown = deps.config.emailVerification === "required" ? null : withoutNames(job);
  const mail = shown && (await noticeOf(deps, shown, { ...user, name: null, credentials: [] }));
  return mail && { to: user.email, mail, limits };
}

/** Frequent kinds have a lower limit of their own, so that they cannot use up the limit of the other kinds. */
const MINOR: ReadonlySet<MailJob["kind"]> = new Set<MailJob["kind"]>([
  "passkeyRemoved",
  "identityUnlinked",
  "apiKeyCreated",
  "platformKeyCreated",
  "recoveryCodeUsed",
  "signedInOnNewDevice",
  "refreshTokenReused",
  "accountExported",
  "secondFactorGuessed",
  "tenantNotice",
]);

function limitsOf(job: NoticeJob): RuleName[] {
  const { kind } = job;
  if (job.kind === "tenantNotice" && job.news.what === "undone") return ["notice"];
  if (kind === "subscriptionAlert") return ["alertMail"];
  return MINOR.has(kind) ? ["minorNotice", "notice"] : ["notice"];
}

/** The token whose hash the reported change has stored, under the key that was the newest one then. */
async function storedToken(deps: Deps, use: "undo" | "revoke-api-keys", mailId: string): Promise<string> {
  const tokens = await mailTokensOfKeys(deps.keys, use, mailId);
  const hashes = tokens.map(({ hash }) => hash);
  const stored = tokens.length > 1 ? await findStoredHash(deps, hashes) : null;
  const { token } = tokens.find(({ hash }) => hash === stored) ?? (await mailToken(deps.keys, use, mailId));
  return token;
}

const NOTHING_OLD = { subscriptions: [], tenantKeys: [], connections: [] };

/** What a user set up in their tenants before a time (Unix ms), and what works on, as a mail names it. */
const setUpBefore = async (deps: Deps, userId: string, beforeMs: number) => ({
  subscriptions: await namesOfOlder(deps, userId, beforeMs),
  tenantKeys: await namesOfOlderKeys(deps, userId, beforeMs),
  connections: await namesOfOlderConnections(deps, userId, beforeMs),
});

async function noticeOf(deps: Deps, job: NoticeJob, user: NoticeRecipient): Promise<MailContent> {
  const context = { appUrl: deps.config.appUrl, name: user.name };
  const revertToken = await storedToken(deps, "undo", job.id);
  const revertible = { ...context, revertToken };
  switch (job.kind) {
    case "passwordChanged": {
      const revokeApiKeysToken = await storedToken(deps, "revoke-api-keys", job.id);
      return passwordChangedMail({
        ...revertible,
        credentials: user.credentials,
        endedCredentials: job.endedCredentials ?? [],
        // A change of the password, unlike a reset, has no such list.
        old: job.endedCredentials ? await setUpBefore(deps, job.userId, user.emailVerifiedAt ?? 0) : NOTHING_OLD,
        labelOf: (provider) => providerLabel(deps.config, provider as ProviderName),
        revokeApiKeysToken,
        portalLinks: await countPortalLinks(deps, job.userId),
        ended: job.ended,
      });
    }
    case "twoFactorChanged":
      return notices.twoFactorChangedMail(revertible, job.enabled);
    case "recoveryCodesRenewed":
      return notices.recoveryCodesRenewedMail(revertible);
    case "identityLinked":
      return notices.identityLinkedMail(revertible, providerLabel(deps.config, job.provider));
    case "identityUnlinked":
      return notices.identityUnlinkedMail(context, providerLabel(deps.config, job.provider));
    case "passkeyAdded":
      return notices.passkeyAddedMail(revertible, job.passkeyName);
    case "passkeyRemoved":
      return notices.passkeyRemovedMail(context, job.passkeyName);
    case "apiKeyCreated":
      return notices.apiKeyCreatedMail(revertible, job.keyName);
    case "platformKeyCreated":
      return notices.platformKeyCreatedMail(context, job.keyName);
    case "recoveryCodeUsed":
      return notices.recoveryCodeUsedMail(context, user.codesLeft);
    case "signedInOnNewDevice":
      return notices.newDeviceMail(revertible, job);
    case "refreshTokenReused":
      return notices.refreshTokenReusedMail(context);
    case "accountExported":
      return notices.accountExportedMail(context);
    case "secondFactorGuessed":
      return notices.codesGuessedMail(context, job.pool ?? "totp");
    case "tenantNotice":
      return tenantNoticeMail(context, job.tenantName, job.news);
    case "operatorNotice":
      return operatorNoticeMail(context, job.news);
    case "tenantDeleted":
      return notices.tenantDeletedMail(context, job.tenantName);
    case "subscriptionAlert":
      return subscriptionNoticeMail(context, job);
  }
}
