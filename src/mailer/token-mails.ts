/**
 * Mails with a token or code for a next step: verification, password reset, sign-in, invitation, a reclaimed account, a
 * lost second factor.
 */

import type { Asker, EndedAccess, MailJob } from "../base/mail/job";
import { type Language, textsIn } from "../base/texts/texts";
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
  return mailTo(null, texts.say("mail.verify.subject"), body, texts);
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
  if (resetting.undone) return revertedMail({ pagesUrl, appUrl }, name, token, resetting);
  const body = [
    texts.say("mail.reset.text"),
    linkTo(pagesUrl, "reset-password", token, texts.say("mail.reset.link")),
    texts.say("mail.reset.ignore"),
  ];
  return mailTo(name, texts.say("mail.reset.subject"), body, texts);
}

function revertedMail(
  { pagesUrl, appUrl }: MailedUrls,
  name: string | null,
  token: string,
  { undone = [], named = [], secrets = [], isFactorLost = false }: Resetting,
): MailContent {
  return mailTo(name, "Reset your password", [
    "You told us that somebody else has used your account. Your sessions and API keys have ended. Set a new " +
      "password with this link, which works once, within one hour.",
    linkTo(pagesUrl, "reset-password", token, "Reset password"),
    ...(isFactorLost
      ? [
          "Two-factor authentication could not be turned on again, because the service can no longer read its " +
            "secret. Please set it up again.",
        ]
      : []),
    ...(undone.length > 0 ? ["This was done with your account since then, and we have undone it:", ...undone] : []),
    ...(named.length > 0 ? [`${NAMED} Look at each, and change it back:`, ...namedLinks(appUrl, named)] : []),
    ...(undone.length + named.length === 0 ? ["Nothing had to be undone in your tenants."] : []),
    ...(secrets.length > 0 ? [SECRETS, ...namedLinks(appUrl, secrets)] : []),
  ]);
}

const NAMED = "This was done with your account since then, and we could not undo it.";

const SECRETS =
  "Whoever used your account could read the secrets that sign the deliveries to these subscriptions. Give each of " +
  "them a new one:";

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
  return mailTo(name, texts.say("mail.code.subject"), body, texts);
}

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
    return mailTo(null, texts.say("mail.emailTaken.subject"), refused, texts);
  }
  const body = [
    texts.say("mail.newEmail.text", { email }),
    linkTo(pagesUrl, "confirm-email", token, texts.say("mail.newEmail.link")),
    texts.say("mail.newEmail.ignore"),
  ];
  return mailTo(null, texts.say("mail.newEmail.subject"), body, texts);
}

function askedFrom(texts: Language, { device, location, ipAddress }: Asker): string {
  const place = location ? texts.say("mail.code.place", { location }) : "";
  const address = ipAddress ? texts.say("mail.code.address", { ipAddress }) : "";
  return texts.say("mail.code.asked", { device, place, address });
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
  return mailTo(null, texts.say("mail.invitation.subject"), body, texts);
}

const article = (role: string) => (/^[aeiou]/.test(role) ? "an" : "a");

/** The mail to somebody who has lost the authenticator app and the recovery codes. An operator has it sent. */
export const factorRemovalMail = (pagesUrl: string, name: string | null, token: string): MailContent =>
  mailTo(name, "Remove your lost second factor", [
    "We were told that you have lost your authenticator app and your recovery codes. The link turns two-factor " +
      "authentication off for your account and ends all your sessions. It works once, within 24 hours.",
    linkTo(pagesUrl, "remove-two-factor", token, "Remove the second factor"),
    "If you did not ask for this, do not open the link, and nothing will change. Somebody may be trying to get " +
      "into your account, so please tell the operator of this service.",
  ]);

/** The mail after "this was not me" on the verification page, or after a sign-in with a code. */
export const reclaimedMail = (pagesUrl: string, { ended, byCode }: Reclaiming, token: string): MailContent =>
  mailTo(null, "Your email address is yours again", [
    byCode
      ? "You signed in with a code, to an account whose email address had not been verified. Its password no " +
        "longer works."
      : "You told us that you did not create the account with this email address. Its password no longer works.",
    endedSentence(ended),
    byCode
      ? "To sign in with a password too, set one. The link works once, within one hour."
      : "You can use the account after setting a password. The link works once, within one hour.",
    linkTo(pagesUrl, "reset-password", token, "Set a password"),
  ]);

/** What ended when the account was reclaimed, in one sentence. */
export function endedSentence({
  sessions,
  passkeys,
  identities,
  apiKeys,
  invitations,
  tenants,
  twoFactor,
}: EndedAccess): string {
  const parts = [
    counted(sessions, "session"),
    counted(passkeys, "passkey"),
    counted(identities, "sign-in provider"),
    counted(apiKeys, "API key"),
    counted(invitations, "invitation"),
    tenants === 0 ? "" : `your membership in ${counted(tenants, "tenant")}, whose webhook subscriptions are disabled`,
    twoFactor ? "two-factor authentication" : "",
  ].filter((part) => part !== "");
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0];
  return (
    "The address had not been verified, so somebody else may have used the account. We have ended " +
    `${list ?? "nothing: there was nothing else"}.`
  );
}

const counted = (count: number, noun: string) => (count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`);

/** "21 November 2026 at 23:04 UTC" */
export const utc = textsIn("en").moment;
