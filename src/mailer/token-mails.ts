/**
 * Mails with a token or code for a next step: verification, password reset, sign-in, invitation, a reclaimed account, a
 * lost second factor.
 */

import type { Asker, EndedAccess, MailJob } from "../base/mail/job";
import type { Registrant } from "../identity/accounts/verification-store";
import type { InvitationAddress } from "../identity/invitations/store";
import type { MailedEmailChange } from "../identity/profile/email-change-store";
import { linkTo, type MailContent, mailTo, namedLinks } from "./render";
import type { CodeRecipient } from "./store";

type Reclaiming = Pick<Extract<MailJob, { kind: "accountTakenOver" }>, "ended" | "byCode">;

/** Contains no text from the person who registered the address, because that may be a stranger. */
export function verificationMail(
  appUrl: string,
  { createdAt, createdFrom, hasPasskey }: Registrant,
  { provider, losesPasskey }: { provider: string | null; losesPasskey: boolean },
  token: string,
): MailContent {
  const place = createdFrom ? `, from ${createdFrom}` : "";
  const means = provider ? `, by a sign-in with ${provider}` : hasPasskey ? ", with a passkey" : "";
  return mailTo(null, "Verify your email address", [
    "An account was created with this email address on " +
      `${utc(createdAt)}${place}${means}. ` +
      "If this was you, please confirm the address. The link works for 24 hours.",
    ...(provider ? [`Afterwards, sign in with a code or set a password, and then add ${provider} again.`] : []),
    ...(losesPasskey
      ? [
          "Open the link in the browser in which you registered: it keeps your passkey. In another browser, the " +
            "passkey is removed. You can then sign in with a code, and add one again.",
        ]
      : []),
    linkTo(appUrl, "verify-email", token, "Verify email"),
    'If this was not you, do not confirm. Open the link and choose "This was not me", or ignore this email.',
  ]);
}

type Resetting = Pick<Extract<MailJob, { kind: "passwordReset" }>, "undone" | "named" | "secrets" | "isFactorLost">;

/** `undone` is what a "this was not me" link has undone; missing for a reset that somebody asked for. */
export function resetMail(appUrl: string, name: string | null, token: string, resetting: Resetting): MailContent {
  if (resetting.undone) return revertedMail(appUrl, name, token, resetting);
  return mailTo(name, "Reset your password", [
    "Someone asked to reset the password of your account. The link works once, within one hour.",
    linkTo(appUrl, "reset-password", token, "Reset password"),
    "If this was not you, you can ignore this email. Your password stays the same.",
  ]);
}

function revertedMail(
  appUrl: string,
  name: string | null,
  token: string,
  { undone = [], named = [], secrets = [], isFactorLost = false }: Resetting,
): MailContent {
  return mailTo(name, "Reset your password", [
    "You told us that somebody else has used your account. Your sessions and API keys have ended. Set a new " +
      "password with this link, which works once, within one hour.",
    linkTo(appUrl, "reset-password", token, "Reset password"),
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
export const codeMail = ({ name, isVerified }: CodeRecipient, code: string, asker: Asker | undefined): MailContent =>
  mailTo(name, "Your sign-in code", [
    `Your code is ${code}. It works once, within 10 minutes, and only in the browser or app where you asked for it.`,
    ...(asker ? askedFrom(asker) : []),
    ...(isVerified
      ? []
      : [
          "This address has not been verified, so somebody else may have created the account. Signing in with " +
            "the code invalidates its password and ends everything that was set up so far. If you created the " +
            "account yourself, verify the address first, with the link that we sent you.",
        ]),
    "Do not give the code to anybody, and enter it only on the page where you asked for it. We never ask for it. " +
      "If you did not request it, somebody else did: whoever gets the code from you is signed in to your account. " +
      "You can ignore this email.",
  ]);

/** To an address that an account wants to use. `token` is null if it cannot have it. */
export function newEmailMail(appUrl: string, { otherEmail }: MailedEmailChange, token: string | null): MailContent {
  const asked = `Someone who is signed in as ${otherEmail} asked to use this email address for that account.`;
  if (token === null) {
    return mailTo(null, "This email address cannot be used", [
      `${asked} It cannot be used for another account, because it has an account already or is reserved. ` +
        "Nothing changes.",
      "If this was not you, you can ignore this email.",
    ]);
  }
  return mailTo(null, "Confirm your new email address", [
    `${asked} If this was you, confirm it while you are signed in. The link works once, within 24 hours.`,
    linkTo(appUrl, "confirm-email", token, "Use this address"),
    "If this was not you, you can ignore this email: nothing changes.",
  ]);
}

const askedFrom = ({ device, location, ipAddress }: Asker): string[] => [
  "It was asked for with " +
    `${device}${location ? `, in or near ${location}` : ""}${ipAddress ? `, from the IP address ${ipAddress}` : ""}.`,
];

/** The name of the tenant is not in the subject: whoever invites has chosen it. */
export const invitationMail = (
  appUrl: string,
  { tenantName, inviter, role }: Pick<InvitationAddress, "tenantName" | "inviter"> & { role: string },
  token: string,
): MailContent =>
  mailTo(null, "You are invited to join a tenant", [
    `${inviter ? `${inviter} invites you` : "You are invited"} to join ${tenantName} as ${article(role)} ${role}. ` +
      "The link works once, within 7 days.",
    linkTo(appUrl, "accept-invitation", token, "Accept invitation"),
    "If you did not expect this, you can ignore this email.",
  ]);

const article = (role: string) => (/^[aeiou]/.test(role) ? "an" : "a");

/** The mail to somebody who has lost the authenticator app and the recovery codes. An operator has it sent. */
export const factorRemovalMail = (appUrl: string, name: string | null, token: string): MailContent =>
  mailTo(name, "Remove your lost second factor", [
    "We were told that you have lost your authenticator app and your recovery codes. The link turns two-factor " +
      "authentication off for your account and ends all your sessions. It works once, within 24 hours.",
    linkTo(appUrl, "remove-two-factor", token, "Remove the second factor"),
    "If you did not ask for this, do not open the link, and nothing will change. Somebody may be trying to get " +
      "into your account, so please tell the operator of this service.",
  ]);

/** The mail after "this was not me" on the verification page, or after a sign-in with a code. */
export const reclaimedMail = (appUrl: string, { ended, byCode }: Reclaiming, token: string): MailContent =>
  mailTo(null, "Your email address is yours again", [
    byCode
      ? "You signed in with a code, to an account whose email address had not been verified. Its password no " +
        "longer works."
      : "You told us that you did not create the account with this email address. Its password no longer works.",
    endedSentence(ended),
    byCode
      ? "To sign in with a password too, set one. The link works once, within one hour."
      : "You can use the account after setting a password. The link works once, within one hour.",
    linkTo(appUrl, "reset-password", token, "Set a password"),
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

const utcFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** "21 November 2026 at 23:04 UTC" */
export const utc = (timeMs: number): string => `${utcFormat.format(timeMs)} UTC`;
