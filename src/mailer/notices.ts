/** Mails that report a change. If it can be undone, they have a link that does so without signing in. */

import type { MailJob } from "../base/mail/job";
import type { MailedEmailChange } from "../identity/profile/email-change-store";
import { type Link, linkTo, type MailContent, mailTo } from "./render";
import { utc } from "./token-mails";

/** What every notice needs: the client's URL, and whom to greet. */
export interface NoticeContext {
  appUrl: string;
  name: string | null;
}

/** What a notice of a change that can be undone needs. */
export interface RevertibleContext extends NoticeContext, Revert {}

interface Revert {
  /** The address below which the page is that undoes it. */
  pagesUrl: string;
  revertToken: string;
}

const ALSO =
  "ends all your sessions, revokes all your API keys, undoes what was done with your account in its tenants since " +
  "then, and sends you a link to set a new password";

/** `does`: what the link undoes, as the rest of a sentence. */
export const notMe = ({ pagesUrl, revertToken }: Revert, does: string): (string | Link)[] => [
  `If this was not you, open this link within 72 hours. It ${does}, ${ALSO}.`,
  linkTo(pagesUrl, "not-me", revertToken, "This was not me"),
];

const RESET_ADVICE = "If this was not you, reset your password now: that ends every session.";

/** To the former address, when the change is asked for and when it is done. */
export function emailChangedMail(link: Revert, { name, otherEmail }: MailedEmailChange, isDone: boolean): MailContent {
  const to = otherEmail === null ? "" : ` to ${otherEmail}`;
  return mailTo(name, isDone ? "Your email address was changed" : "Your email address is about to change", [
    isDone
      ? `The email address of your account was changed${to}. Mails about your account go there from now on.`
      : `Someone who is signed in to your account asked to change its email address${to}. It changes when the ` +
        "link in a mail to that address is followed.",
    ...notMe(
      link,
      `${isDone ? "gives your account this address back" : "stops the change"}, makes your password invalid`,
    ),
  ]);
}

export function twoFactorChangedMail(context: RevertibleContext, enabled: boolean): MailContent {
  const state = enabled ? "on" : "off";
  return mailTo(context.name, `Two-factor authentication was turned ${state}`, [
    `Two-factor authentication was turned ${state} for your account.`,
    ...notMe(context, enabled ? "turns it off again" : "turns it on again as it was"),
  ]);
}

export const recoveryCodesRenewedMail = (context: RevertibleContext): MailContent =>
  mailTo(context.name, "You have new recovery codes", [
    "The recovery codes of your account were replaced.",
    ...notMe(context, "makes your previous codes valid again"),
  ]);

export const passkeyAddedMail = (context: RevertibleContext, passkeyName: string): MailContent =>
  mailTo(context.name, "A passkey was added", [
    `A passkey named "${passkeyName}" was added to your account. It can be used to sign in instead of your password.`,
    ...notMe(context, "removes the passkey"),
  ]);

export const passkeyRemovedMail = ({ name }: NoticeContext, passkeyName: string): MailContent =>
  mailTo(name, "A passkey was removed", [
    `The passkey named "${passkeyName}" was removed from your account and can no longer be used to sign in.`,
    RESET_ADVICE,
  ]);

export const apiKeyCreatedMail = (context: RevertibleContext, keyName: string): MailContent =>
  mailTo(context.name, "A new API key was created", [
    `An API key named "${keyName}" was created in your account.`,
    ...notMe(context, "revokes the key"),
  ]);

export const platformKeyCreatedMail = ({ name }: NoticeContext, keyName: string): MailContent =>
  mailTo(name, "You created a platform key", [
    `A platform key named "${keyName}" was created with your account. It can act in all tenants that it may see.`,
    "If this was not you, revoke it now under Operator > Platform keys, reset your password, and tell the other " +
      "operators.",
  ]);

export const identityLinkedMail = (context: RevertibleContext, label: string): MailContent =>
  mailTo(context.name, `You can now sign in with ${label}`, [
    `A sign-in with ${label} was added to your account. It can be used instead of your password.`,
    ...notMe(context, "removes it"),
  ]);

export const identityUnlinkedMail = ({ name }: NoticeContext, label: string): MailContent =>
  mailTo(name, `You can no longer sign in with ${label}`, [
    `A sign-in with ${label} was removed from your account.`,
    RESET_ADVICE,
  ]);

export function recoveryCodeUsedMail({ name }: NoticeContext, codesLeft: number): MailContent {
  const left = codesLeft === 1 ? "1 code is left" : `${codesLeft} codes are left`;
  return mailTo(name, "A recovery code was used", [
    `One of your recovery codes was used to sign in. ${left}.`,
    RESET_ADVICE,
  ]);
}

type SignInJob = Extract<MailJob, { kind: "signedInOnNewDevice" }>;

export const newDeviceMail = (
  context: RevertibleContext,
  { device, location, ipAddress, signedInAt }: SignInJob,
): MailContent =>
  mailTo(context.name, "New sign-in to your account", [
    "Someone signed in to your account with a browser or from a place that we have not seen in the last 90 days.",
    `When: ${utc(signedInAt)}`,
    `Browser and system: ${device}`,
    ...(location ? [`Approximate place: ${location}`] : []),
    ...(ipAddress ? [`IP address: ${ipAddress}`] : []),
    "If this was you, you do not need to do anything.",
    ...notMe(context, "makes your password invalid, and removes the passkey or provider if one was used"),
  ]);

/** The last mail to an address whose account is gone. */
export const accountDeletedMail = (name: string | null, deletedAt: number): MailContent =>
  mailTo(name, "Your account was deleted", [
    `Your account was deleted on ${utc(deletedAt)}, and its data has been removed. It cannot be restored.`,
    "If this was not you, somebody else knows your password. Change it wherever else you use it.",
    "You can register again with this address at any time.",
  ]);

export const accountExportedMail = ({ name }: NoticeContext): MailContent =>
  mailTo(name, "Your data was exported", [
    "A file with all that we keep about your account was downloaded. It lists your sign-ins with their times and " +
      "IP addresses, your sessions and API keys, and has no passwords or keys.",
    RESET_ADVICE,
  ]);

export const tenantDeletedMail = ({ name }: NoticeContext, tenantName: string): MailContent =>
  mailTo(name, `${tenantName} was deleted`, [
    `An owner has deleted ${tenantName}. Its webhook subscriptions receive nothing any more. Its API keys and ` +
      "all of its data are being removed and cannot be restored.",
    "You keep your account. Your next sign-in opens another of your tenants, or a new one.",
  ]);

export const refreshTokenReusedMail = ({ name }: NoticeContext, appName?: string): MailContent =>
  appName === undefined ? sessionEndedMail(name) : connectionEndedMail(name, appName);

export const appConnectedMail = (context: RevertibleContext, appName: string): MailContent =>
  mailTo(context.name, `${appName} is connected to your account`, [
    `You have allowed ${appName} to stay connected to your account while you are away.`,
    ...notMe(context, `disconnects ${appName} and every other app`),
  ]);

const connectionEndedMail = (name: string | null, appName: string): MailContent =>
  mailTo(name, `${appName} was disconnected for your safety`, [
    `A token that ${appName} has for your account was used twice, so somebody may have copied it. We have ended the ` +
      "connection. Connect the app again if you use it.",
    "If this happens again, tell whoever makes the app.",
  ]);

const sessionEndedMail = (name: string | null): MailContent =>
  mailTo(name, "A session was ended for your safety", [
    "A token or cookie of one of your sessions was used twice, so somebody may have copied it. We have ended that " +
      "session. Please sign in again.",
    "If this happens again, reset your password: that ends every session.",
  ]);

export const codesGuessedMail = ({ name }: NoticeContext, pool: "totp" | "code"): MailContent =>
  pool === "totp"
    ? mailTo(name, "Someone is guessing your two-factor codes", [
        "Someone who knows your password or is signed in to your account has entered ten wrong codes. Sign-in is " +
          "locked for a while.",
        "If this was not you, reset your password now.",
      ])
    : mailTo(name, "Someone is guessing your sign-in codes", [
        "Someone has asked for sign-in codes for your account and has entered ten wrong ones. Sign-in with such " +
          "codes is locked for a while. You can still sign in in other ways.",
        "Nobody has got in. If this was not you, you need not do anything, but a second factor protects your " +
          "account better.",
      ]);
