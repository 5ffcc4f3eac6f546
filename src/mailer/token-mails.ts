/** Mails with a token that the next step needs: verification, password reset, invitation, take-over. */
import type { EndedAccess } from "../mail/job";
import type { Registrant } from "../recovery/store";
import { linkTo, type Mail, renderMail } from "./render";

/** Contains no text from the person who registered the address, because that may be a stranger. */
export function verificationMail(appUrl: string, { createdAt, createdFrom }: Registrant, token: string): Mail {
  const place = createdFrom ? `, from ${createdFrom}` : "";
  return renderMail({
    subject: "Verify your email address",
    greetingName: null,
    body: [
      `An account was created with this email address on ${utc(createdAt)}${place}. If this was you, please confirm the address. The link works for 24 hours.`,
      linkTo(appUrl, "verify-email", token, "Verify email"),
      'If this was not you, do not confirm. Open the link and choose "This was not me", or ignore this email.',
    ],
  });
}

export function resetMail(appUrl: string, name: string | null, token: string): Mail {
  return renderMail({
    subject: "Reset your password",
    greetingName: name,
    body: [
      "Someone asked to reset the password of your account. The link works once, within one hour.",
      linkTo(appUrl, "reset-password", token, "Reset password"),
      "If this was not you, you can ignore this email. Your password stays the same.",
    ],
  });
}

export function invitationMail(appUrl: string, tenantName: string, token: string): Mail {
  return renderMail({
    subject: `You are invited to join ${tenantName}`,
    greetingName: null,
    body: [
      `You are invited to join ${tenantName}. The link works once, within 7 days.`,
      linkTo(appUrl, "accept-invitation", token, "Accept invitation"),
      "If you did not expect this, you can ignore this email.",
    ],
  });
}

/** The mail after "this was not me" on the verification page. */
export function takenOverMail(appUrl: string, ended: EndedAccess, token: string): Mail {
  return renderMail({
    subject: "Your email address is yours again",
    greetingName: null,
    body: [
      "You told us that you did not create the account with this email address. Its password no longer works.",
      endedSentence(ended),
      "You can take the account over by setting a password. The link works once, within one hour.",
      linkTo(appUrl, "reset-password", token, "Set a password"),
    ],
  });
}

/** What a take-over has ended, in one sentence. */
export function endedSentence({ sessions, apiKeys, invitations, tenants, twoFactor }: EndedAccess): string {
  const parts = [
    counted(sessions, "session"),
    counted(apiKeys, "API key"),
    counted(invitations, "invitation"),
    tenants === 0 ? "" : `your membership in ${counted(tenants, "tenant")}, whose webhook subscriptions are disabled`,
    twoFactor ? "two-factor authentication" : "",
  ].filter((part) => part !== "");
  const list = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0];
  return `The address had not been verified, so somebody else may have used the account. We have ended ${list ?? "nothing: there was nothing else"}.`;
}

const counted = (count: number, noun: string) => (count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`);

const utcFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** "21 November 2026 at 23:04 UTC" */
export const utc = (timeMs: number): string => `${utcFormat.format(timeMs)} UTC`;
