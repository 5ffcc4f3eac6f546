/**
 * Mails with a token or code for a next step: verification, password reset, sign-in, invitation, a reclaimed account, a
 * lost second factor.
 */

import type { Asker, EndedAccess, MailJob } from "../base/mail/job";
import { inWords, translated } from "../base/texts/known";
import type { Language } from "../base/texts/texts";
import type { Registrant } from "../identity/accounts/verification-store";
import type { InvitationAddress } from "../identity/invitations/store";
import type { MailedEmailChange } from "../identity/profile/email-change-store";
import { linkTo, type MailContent, mailTo, namedLinks } from "./render";
import type { CodeRecipient } from "./store";

type Reclaiming = Pick<Extract<MailJob, { kind: "accountTakenOver" }>, "ended" | "byCode">;

/** Contains no text from the person who registered the address, because that may be a stranger. */
export function verificationMail(
  texts: Language,
  pagesUrl: string,
  { createdAt, createdFrom, hasPasskey }: Registrant,
  { provider, losesPasskey }: { provider: string | null; losesPasskey: boolean },
  token: string,
): MailContent {
  const place = createdFrom ? texts.say("mail.verify.place", { place: createdFrom }) : "";
  const withPasskey = hasPasskey ? texts.say("mail.verify.byPasskey") : "";
  const means = provider ? texts.say("mail.verify.byProvider", { provider }) : withPasskey;
  const body = [
    texts.say("mail.verify.created", { time: texts.moment(createdAt), place, means }),
    ...(provider ? [texts.say("mail.verify.addProvider", { provider })] : []),
    ...(losesPasskey ? [texts.say("mail.verify.losesPasskey")] : []),
    linkTo(pagesUrl, "verify-email", token, texts.say("mail.verify.link")),
    texts.say("mail.verify.notMe"),
  ];
  return mailTo(texts, null, texts.say("mail.verify.subject"), body);
}

/** What links in a mail start with: those to pages for everybody, and those to pages of the console. */
interface MailedUrls {
  pagesUrl: string;
  appUrl: string;
}

type Resetting = Pick<Extract<MailJob, { kind: "passwordReset" }>, "undone" | "named" | "secrets" | "isFactorLost">;

/** `undone` is what a "this was not me" link has undone; missing for a reset that somebody asked for. */
export function resetMail(
  texts: Language,
  { pagesUrl, appUrl }: MailedUrls,
  name: string | null,
  token: string,
  resetting: Resetting,
): MailContent {
  if (resetting.undone) return revertedMail(texts, { pagesUrl, appUrl }, name, token, resetting);
  const body = [
    texts.say("mail.reset.text"),
    linkTo(pagesUrl, "reset-password", token, texts.say("mail.reset.link")),
    texts.say("mail.reset.ignore"),
  ];
  return mailTo(texts, name, texts.say("mail.reset.subject"), body);
}

function revertedMail(
  texts: Language,
  { pagesUrl, appUrl }: MailedUrls,
  name: string | null,
  token: string,
  { undone = [], named = [], secrets = [], isFactorLost = false }: Resetting,
): MailContent {
  return mailTo(texts, name, texts.say("mail.reset.subject"), [
    texts.say("mail.reverted.text"),
    linkTo(pagesUrl, "reset-password", token, texts.say("mail.reset.link")),
    ...(isFactorLost ? [texts.say("mail.reverted.factorLost")] : []),
    ...(undone.length > 0 ? [texts.say("mail.reverted.undone"), ...inWords(texts, undone)] : []),
    ...(named.length > 0 ? [texts.say("mail.reverted.named"), ...namedLinks(texts, appUrl, named)] : []),
    ...(undone.length + named.length === 0 ? [texts.say("mail.reverted.nothing")] : []),
    ...(secrets.length > 0 ? [texts.say("mail.reverted.secrets"), ...namedLinks(texts, appUrl, secrets)] : []),
  ]);
}

/** The code is not in the subject, which phones show while they are locked. */
export function codeMail(
  texts: Language,
  { name, isVerified }: CodeRecipient,
  code: string,
  asker: Asker | undefined,
): MailContent {
  const body = [
    texts.say("mail.code.text", { code }),
    ...(asker ? [askedFrom(texts, asker)] : []),
    ...(isVerified ? [] : [texts.say("mail.code.unverified")]),
    texts.say("mail.code.warning"),
  ];
  return mailTo(texts, name, texts.say("mail.code.subject"), body);
}

/** Names no tenant: whoever reads it may only have an address of its domain. */
export const signOnLinkMail = (texts: Language, url: string, asker: Asker | undefined): MailContent =>
  mailTo(texts, null, texts.say("mail.signOnLink.subject"), [
    texts.say("mail.signOnLink.text"),
    ...(asker ? [askedFrom(texts, asker)] : []),
    { label: texts.say("mail.signOnLink.link"), url },
    texts.say("mail.signOnLink.ignore"),
  ]);

/** To an address that an account wants to use. `token` is null if it cannot have it. */
export function newEmailMail(
  texts: Language,
  pagesUrl: string,
  { otherEmail }: MailedEmailChange,
  token: string | null,
): MailContent {
  const email = otherEmail ?? "";
  if (token === null) {
    const refused = [texts.say("mail.emailTaken.text", { email }), texts.say("mail.emailTaken.ignore")];
    return mailTo(texts, null, texts.say("mail.emailTaken.subject"), refused);
  }
  const body = [
    texts.say("mail.newEmail.text", { email }),
    linkTo(pagesUrl, "confirm-email", token, texts.say("mail.newEmail.link")),
    texts.say("mail.newEmail.ignore"),
  ];
  return mailTo(texts, null, texts.say("mail.newEmail.subject"), body);
}

function askedFrom(texts: Language, { device, location, ipAddress }: Asker): string {
  const place = location ? texts.say("mail.code.place", { location }) : "";
  const address = ipAddress ? texts.say("mail.code.address", { ipAddress }) : "";
  return texts.say("mail.code.asked", { device: translated(texts, "device", device), place, address });
}

/** The name of the tenant is not in the subject: whoever invites has chosen it. */
export function invitationMail(
  texts: Language,
  pagesUrl: string,
  { tenantName, inviter, role }: Pick<InvitationAddress, "tenantName" | "inviter"> & { role: string },
  token: string,
): MailContent {
  const values = { tenant: tenantName, role: texts.locale === "en" ? `${article(role)} ${role}` : role };
  const body = [
    inviter ? texts.say("mail.invitation.textBy", { ...values, inviter }) : texts.say("mail.invitation.text", values),
    linkTo(pagesUrl, "accept-invitation", token, texts.say("mail.invitation.link")),
    texts.say("mail.invitation.ignore"),
  ];
  return mailTo(texts, null, texts.say("mail.invitation.subject"), body);
}

const article = (role: string) => (/^[aeiou]/.test(role) ? "an" : "a");

/** The mail to the customer's IT. As in an invitation, the name of the tenant is not in the subject. */
export const setupMail = (
  texts: Language,
  pagesUrl: string,
  { tenantName, expiresAt }: { tenantName: string; expiresAt: number },
  token: string,
): MailContent =>
  mailTo(texts, null, texts.say("mail.setup.subject"), [
    texts.say("mail.setup.text", { tenant: tenantName, time: texts.moment(expiresAt) }),
    linkTo(pagesUrl, "open", token, texts.say("mail.setup.link")),
    texts.say("mail.setup.code"),
    texts.say("mail.invitation.ignore"),
  ]);

/** The mail to somebody who has lost the authenticator app and the recovery codes. An operator has it sent. */
export const factorRemovalMail = (texts: Language, pagesUrl: string, name: string | null, token: string): MailContent =>
  mailTo(texts, name, texts.say("mail.lostFactor.subject"), [
    texts.say("mail.lostFactor.text"),
    linkTo(pagesUrl, "remove-two-factor", token, texts.say("mail.lostFactor.link")),
    texts.say("mail.lostFactor.ignore"),
  ]);

/** The mail after "this was not me" on the verification page, or after a sign-in with a code. */
export const reclaimedMail = (
  texts: Language,
  pagesUrl: string,
  { ended, byCode }: Reclaiming,
  token: string,
): MailContent =>
  mailTo(texts, null, texts.say("mail.reclaimed.subject"), [
    texts.say(byCode ? "mail.reclaimed.byCode" : "mail.reclaimed.told"),
    endedSentence(texts, ended),
    texts.say(byCode ? "mail.reclaimed.passwordToo" : "mail.reclaimed.password"),
    linkTo(pagesUrl, "reset-password", token, texts.say("mail.reclaimed.link")),
  ]);

const COUNTED = ["sessions", "passkeys", "identities", "apiKeys", "invitations", "tenants"] as const;

/** What ended when the account was reclaimed, in one sentence. */
export function endedSentence(texts: Language, ended: EndedAccess): string {
  const parts = [
    ...COUNTED.flatMap((name) => (ended[name] === 0 ? [] : [texts.count(`mail.ended.${name}`, ended[name])])),
    ...(ended.twoFactor ? [texts.say("mail.ended.twoFactor")] : []),
  ];
  return texts.say("mail.ended.text", {
    list: parts.length === 0 ? texts.say("mail.ended.nothing") : texts.list(parts),
  });
}
