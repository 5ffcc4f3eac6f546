/** The text of every mail, as plain text and as HTML. Links start with `APP_URL` and nothing else. */

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

interface MailContent {
  subject: string;
  greetingName: string | null;
  paragraphs: string[];
  link?: { label: string; url: string };
}

export function verificationMail(appUrl: string, name: string | null, token: string): Mail {
  return render({
    subject: "Verify your email address",
    greetingName: name,
    paragraphs: [
      "Please confirm that this is your address. The link works for 24 hours.",
      "If you did not create an account, you can ignore this email.",
    ],
    link: { label: "Verify email", url: `${appUrl}/verify-email?token=${encodeURIComponent(token)}` },
  });
}

export function resetMail(appUrl: string, name: string | null, token: string): Mail {
  return render({
    subject: "Reset your password",
    greetingName: name,
    paragraphs: [
      "Someone asked to reset the password of your account. The link works once, within one hour.",
      "If this was not you, you can ignore this email. Your password stays the same.",
    ],
    link: { label: "Reset password", url: `${appUrl}/reset-password?token=${encodeURIComponent(token)}` },
  });
}

export function invitationMail(appUrl: string, tenantName: string, token: string): Mail {
  return render({
    subject: `You are invited to join ${tenantName}`,
    greetingName: null,
    paragraphs: [
      `You are invited to join ${tenantName}. The link works once, within 7 days.`,
      "If you did not expect this, you can ignore this email.",
    ],
    link: { label: "Accept invitation", url: `${appUrl}/accept-invitation?token=${encodeURIComponent(token)}` },
  });
}

const NOT_YOU = "If this was not you, reset your password now.";

export function passwordChangedMail(name: string | null): Mail {
  return render({
    subject: "Your password was changed",
    greetingName: name,
    paragraphs: ["The password of your account was changed.", NOT_YOU],
  });
}

export function twoFactorMail(name: string | null, enabled: boolean): Mail {
  const state = enabled ? "on" : "off";
  return render({
    subject: `Two-factor authentication was turned ${state}`,
    greetingName: name,
    paragraphs: [`Two-factor authentication of your account was turned ${state}.`, NOT_YOU],
  });
}

export function apiKeyMail(name: string | null, keyName: string): Mail {
  return render({
    subject: "A new API key was created",
    greetingName: name,
    paragraphs: [`An API key named "${keyName}" was created in your account.`, `${NOT_YOU} Then revoke the key.`],
  });
}

function render({ subject, greetingName, paragraphs, link }: MailContent): Mail {
  const greeting = greetingName ? `Hello ${greetingName},` : "Hello,";
  const [first = "", ...rest] = paragraphs;
  const text = [greeting, first, ...(link ? [link.url] : []), ...rest].join("\n\n");
  const anchor = link
    ? `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p><p>${escapeHtml(link.url)}</p>`
    : "";
  const html = [
    "<!doctype html><html><body>",
    `<p>${escapeHtml(greeting)}</p><p>${escapeHtml(first)}</p>${anchor}`,
    ...rest.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    "</body></html>",
  ].join("");
  return { subject, text: `${text}\n`, html };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
