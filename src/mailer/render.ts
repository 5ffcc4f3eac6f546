/** One mail as plain text and as HTML. Every link starts with `APP_URL`. */

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

export interface Link {
  label: string;
  url: string;
}

/** A mail before it is rendered. */
export interface MailContent {
  subject: string;
  /** Null for an address that is not verified: whoever registered it chose the name. */
  greetingName: string | null;
  /** Paragraphs and links, in order. */
  body: (string | Link)[];
}

/** The pages that mails link to. */
export type LinkedPage =
  | "verify-email"
  | "reset-password"
  | "accept-invitation"
  | "not-me"
  | "remove-two-factor"
  | "confirm-email";

/** A link to a page of the client, with the token that it submits. */
export const linkTo = (appUrl: string, page: LinkedPage, token: string, label: string): Link => ({
  label,
  url: `${appUrl}/${page}?token=${encodeURIComponent(token)}`,
});

export function renderMail({ subject, greetingName, body }: MailContent): Mail {
  const greeting = greetingName ? `Hello ${greetingName},` : "Hello,";
  const text = [greeting, ...body.map((part) => (typeof part === "string" ? part : `${part.label}:\n${part.url}`))];
  const html = [
    "<!doctype html><html><body>",
    paragraph(escapeHtml(greeting)),
    ...body.map((part) => paragraph(typeof part === "string" ? escapeHtml(part) : anchor(part))),
    "</body></html>",
  ];
  return { subject, text: `${text.join("\n\n")}\n`, html: html.join("") };
}

const paragraph = (html: string) => `<p>${html}</p>`;

/** The URL follows its label, for mail clients that show no links. */
const anchor = ({ label, url }: Link) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a><br>${escapeHtml(url)}`;

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
