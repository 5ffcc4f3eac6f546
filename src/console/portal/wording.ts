/** What the pages of a portal call a subscription. */
import { FLASH_MESSAGES } from "../flash-messages";

/**
 * The texts of the pages that name a subscription. Only a text that is exactly one of these is replaced, so what
 * somebody has typed or published stays as it is.
 */
const TEXTS = [
  "Subscriptions",
  "New subscription",
  "Edit subscription",
  "Delete subscription",
  "Create subscription",
  "Create your first subscription",
  "No subscriptions yet",
  "No subscription wanted it",
  "View subscriptions",
  "More subscriptions",
  "All subscriptions that wanted it",
  "A subscription sends the events that you choose to your URL, each as a signed POST request.",
  "Sends past events to this subscription: those it missed, those that failed, or all.",
  ...Object.values(FLASH_MESSAGES),
].filter((text) => /subscription/i.test(text));

const WORDS = { webhooks: "webhook", endpoints: "endpoint" } as const;

const REWORDED = new Set(TEXTS);

/** What stands between two tags. It is found in time linear in the page, which can have a long payload. */
const BETWEEN_TAGS = /(?<=>)[^<>]+(?=<)/g;

const TITLE = /<title>([^·<]*) · /;

/** A text of ours with the word of the portal. "An endpoint" is the only one that needs another article. */
function reworded(text: string, wording: keyof typeof WORDS): string {
  const word = WORDS[wording];
  const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const changed = text.replaceAll("Subscription", capital).replaceAll("subscription", word);
  return wording === "endpoints" ? changed.replaceAll(/\b([Aa]) (?=endpoint)/g, "$1n ") : changed;
}

/** The page, or a part of one, with the word of the portal. */
export const rewordedPage = (html: string, wording: keyof typeof WORDS): string =>
  html
    .replaceAll(BETWEEN_TAGS, (text) => (REWORDED.has(text.trim()) ? reworded(text, wording) : text))
    .replace(TITLE, (all, text: string) => (REWORDED.has(text) ? `<title>${reworded(text, wording)} · ` : all));
