/** The kinds of notices: each with its text, its limits, and what it hides from an unverified address. */
import type { Deps } from "../base/deps";
import type { MailJob } from "../base/mail/job";
import type { ProviderName } from "../base/schemas/schemas";
import type { Language } from "../base/texts/texts";
import { namesOfOlderConnections } from "../identity/members/left-connections";
import { namesOfOlderKeys } from "../identity/members/left-keys";
import { namesOfOlder } from "../identity/members/left-subscriptions";
import { providerLabel } from "../identity/providers/labels";
import type { JobOf, KindsOf } from "./kind";
import { MINOR, nothing, notice, same, storedToken, type Told } from "./notice";
import * as mails from "./notices";
import { passwordChangedMail } from "./password-notices";
import { subscriptionNoticeMail } from "./subscription-notices";
import { operatorNoticeMail, tenantNoticeMail } from "./tenant-notices";
import type { TOKEN_KINDS } from "./token-kinds";

type NoticeKind = Exclude<MailJob["kind"], keyof typeof TOKEN_KINDS | "accountDeleted" | "alarm">;

const hidden = (texts: Language) => texts.say("mail.hiddenName");
const withoutKeyName = <Job>(job: Job, texts: Language) => ({ ...job, keyName: hidden(texts) });
const withoutPasskeyName = <Job>(job: Job, texts: Language) => ({ ...job, passkeyName: hidden(texts) });
const labelOf = ({ deps }: Told, provider: ProviderName) => providerLabel(deps.config, provider);

export const NOTICE_KINDS: KindsOf<NoticeKind> = {
  passwordChanged: notice(same, passwordChanged),
  twoFactorChanged: notice(same, ({ enabled }, { revertible }) => mails.twoFactorChangedMail(revertible, enabled)),
  recoveryCodesRenewed: notice(same, (_, { revertible }) => mails.recoveryCodesRenewedMail(revertible)),
  recoveryCodeUsed: notice(same, (_, { context, user }) => mails.recoveryCodeUsedMail(context, user.codesLeft), MINOR),
  identityLinked: notice(same, ({ provider }, told) =>
    mails.identityLinkedMail(told.revertible, labelOf(told, provider)),
  ),
  signOnLinked: notice(same, ({ tenantName }, { revertible }) => mails.signOnLinkedMail(revertible, tenantName)),
  identityUnlinked: notice(
    same,
    ({ provider }, told) => mails.identityUnlinkedMail(told.context, labelOf(told, provider)),
    MINOR,
  ),
  passkeyAdded: notice(withoutPasskeyName, ({ passkeyName }, { revertible }) =>
    mails.passkeyAddedMail(revertible, passkeyName),
  ),
  passkeyRemoved: notice(
    withoutPasskeyName,
    ({ passkeyName }, { context }) => mails.passkeyRemovedMail(context, passkeyName),
    MINOR,
  ),
  apiKeyCreated: notice(
    withoutKeyName,
    ({ keyName }, { revertible }) => mails.apiKeyCreatedMail(revertible, keyName),
    MINOR,
  ),
  platformKeyCreated: notice(
    withoutKeyName,
    ({ keyName }, { context }) => mails.platformKeyCreatedMail(context, keyName),
    MINOR,
  ),
  signedInOnNewDevice: notice(same, (job, { revertible }) => mails.newDeviceMail(revertible, job), MINOR),
  appConnected: notice(nothing, ({ appName }, { revertible }) => mails.appConnectedMail(revertible, appName), MINOR),
  refreshTokenReused: notice(same, ({ appName }, { context }) => mails.refreshTokenReusedMail(context, appName), MINOR),
  accountExported: notice(same, (_, { context }) => mails.accountExportedMail(context), MINOR),
  secondFactorGuessed: notice(same, ({ pool = "totp" }, { context }) => mails.codesGuessedMail(context, pool), MINOR),
  tenantNotice: notice(nothing, ({ tenantName, news }, { context }) => tenantNoticeMail(context, tenantName, news), {
    limits: ({ news }) => (news.what === "undone" ? ["notice"] : MINOR.limits()),
  }),
  operatorNotice: notice(nothing, ({ news }, { context }) => operatorNoticeMail(context, news)),
  tenantDeleted: notice(
    (job, texts) => ({ ...job, tenantName: hidden(texts) }),
    ({ tenantName }, { context }) => mails.tenantDeletedMail(context, tenantName),
    { isSentOnce: true },
  ),
  subscriptionAlert: notice(
    (job, texts) => {
      const shown = { name: hidden(texts), host: texts.say("mail.hiddenHost") };
      return { ...job, tenantName: hidden(texts), items: job.items.map((item) => ({ ...item, ...shown })) };
    },
    (job, { context }) => subscriptionNoticeMail(context, job),
    { limits: () => ["alertMail"], isSentOnce: true },
  ),
};

const NOTHING_OLD = { subscriptions: [], tenantKeys: [], connections: [] };

/** What a user set up in their tenants before a time (Unix ms), and what works on, as a mail names it. */
const setUpBefore = async (deps: Deps, userId: string, beforeMs: number) => ({
  subscriptions: await namesOfOlder(deps, userId, beforeMs),
  tenantKeys: await namesOfOlderKeys(deps, userId, beforeMs),
  connections: await namesOfOlderConnections(deps, userId, beforeMs),
});

async function passwordChanged(job: JobOf<"passwordChanged">, { deps, user, revertible }: Told) {
  const { id, userId, ended, endedCredentials } = job;
  return passwordChangedMail({
    ...revertible,
    credentials: user.credentials,
    endedCredentials: endedCredentials ?? [],
    // A change of the password, unlike a reset, has no such list.
    old: endedCredentials ? await setUpBefore(deps, userId, user.emailVerifiedAt ?? 0) : NOTHING_OLD,
    labelOf: (provider) => providerLabel(deps.config, provider as ProviderName),
    revokeApiKeysToken: await storedToken(deps, "revoke-api-keys", id),
    ended,
  });
}
