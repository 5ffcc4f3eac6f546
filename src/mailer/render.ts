/** One mail as plain text and as HTML with the same contents. Links lead to `APP_URL` or to our own pages. */
import type { Brand } from "../base/brand";
import type { NamedLine } from "../base/mail/job";
import { actLine, translated } from "../base/texts/known";
import type { Language } from "../base/texts/texts";
import { documentOf, escapeHtml } from "./template";

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

export interface Link {
  label: string;
  url: string;
  /** A link beside the purpose of the mail, such as "This was not me", is shown less prominently. */
  isAside?: boolean;
}

/** A mail before it is rendered. */
export interface MailContent {
  subject: string;
  /** Null for an address that is not verified: whoever registered it chose the name. */
  greetingName: string | null;
  /** Paragraphs and links, in order. */
  body: (string | Link)[];
  /** In the language of the mail. */
  texts: Language;
}

/** A mail that greets the person by this name. */
export const mailTo = (
  texts: Language,
  greetingName: string | null,
  subject: string,
  body: MailContent["body"],
): MailContent => ({ subject, greetingName, body, texts });

/** The pages that mails link to. */
export type LinkedPage =
  | "verify-email"
  | "reset-password"
  | "accept-invitation"
  | "open"
  | "not-me"
  | "remove-two-factor"
  | "confirm-email";

/** A link to a page with the token that it submits. */
export const linkTo = (pagesUrl: string, page: LinkedPage, token: string, label: string): Link => ({
  label,
  url: `${pagesUrl}/${page}?token=${encodeURIComponent(token)}`,
  ...(page === "not-me" ? { isAside: true } : {}),
});

/** Links to pages of the console, each with its sentence. */
export const namedLinks = (texts: Language, appUrl: string, lines: readonly NamedLine[]): Link[] =>
  lines.map(({ line, act, path }) => ({
    label: act === undefined ? translated(texts, "quoted", line) : actLine(texts, act),
    url: `${appUrl}${path}`,
    isAside: true,
  }));

/** Renders a mail in the colours and under the name of the brand. */
export function renderMail({ subject, greetingName, body, texts }: MailContent, brand: Brand): Mail {
  const greeting = greetingName ? texts.say("mail.helloName", { name: greetingName }) : texts.say("mail.hello");
  const text = [greeting, ...body.map((part) => (typeof part === "string" ? part : `${part.label}:\n${part.url}`))];
  const html = [greeting, ...body].map((part) => (typeof part === "string" ? paragraph(part) : button(part)));
  return {
    subject,
    text: `${text.join("\n\n")}\n\n-- \n${brand.name}\n`,
    html: documentOf({ subject, parts: html.join(""), brand, locale: texts.locale }),
  };
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;

/** The address follows its button, for mail clients that show no links. */
function button({ label, url, isAside }: Link): string {
  const [href, text] = [escapeHtml(url), escapeHtml(label)];
  return `<p><a class="${isAside ? "aside" : "button"}" href="${href}">${text}</a></p><p class="address">${href}</p>`;
}
