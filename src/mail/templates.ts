/** The words of every mail, as text and as HTML that reads without images. Links come from `APP_URL` only. */

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

interface Letter {
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
      "Please confirm that this address is yours. The link works for 24 hours.",
      "If you did not create an account, you can ignore this mail.",
    ],
    link: { label: "Verify email", url: `${appUrl}/verify-email?token=${encodeURIComponent(token)}` },
  });
}

function render({ subject, greetingName, paragraphs, link }: Letter): Mail {
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
