/** What the pages of a portal call a subscription. */
import { FLASH_MESSAGES } from "../flash-messages";

/**
 * The texts of the pages that name a subscription. Only a text that is exactly one of these is replaced, so what
 * somebody has typed or published stays as it is. The test of this file finds those that are missing.
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
  "No active subscription is for",
  "View subscriptions",
  "More subscriptions",
  "All subscriptions that wanted it",
  "A subscription sends the events that you choose to your URL, each as a signed POST request.",
  "Sends past events to this subscription: those it missed, those that failed, or all.",
  "Nothing more will be sent to it, not even deliveries that are already queued. You can't undo this. To stop events " +
    "for a while, pause the subscription.",
  ". If it succeeds, we enable the subscription and send the rest.",
  "The subscription does not list its type, so it does not receive the event.",
  "It waits because of the subscription's limit.",
  "Other deliveries to this subscription come first.",
  "The subscription is paused or disabled and holds it, or has not released it yet.",
  "The subscription was paused when the event was published.",
  "The subscription was created after the event.",
  "The subscription has been deleted.",
  "The subscription's signature or format was changed since. The signatures can't be shown.",
  ...Object.values(FLASH_MESSAGES),
].filter((text) => /subscription/i.test(text));

const WORDS = { webhooks: "webhook", endpoints: "endpoint" } as const;

type Wording = keyof typeof WORDS;

/** As they stand in HTML. */
const KNOWN = new Set(TEXTS.map((text) => text.replaceAll("'", "&#39;")));

/** What stands between two tags. It is found in time linear in the page, which can have a long payload. */
const BETWEEN_TAGS = /(?<=>)[^<>]+(?=<)/g;
/** The name of a part of the page for screen readers. */
const NAME = /(?<=aria-label=")[^"]+/g;
/** Hints and refusals, whose texts are ours wherever they come from. */
const OURS = /(<(?:p class="(?:hint|error)"|div class="banner bad")[^>]*>)([^<]+)/g;
const TITLE = /<title>([^·<]*) · /;

/** A text of ours with the word of the portal. The name of a header, such as `X-Subscription`, stays. */
function reworded(text: string, wording: Wording): string {
  const word = WORDS[wording];
  const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const changed = text
    .replaceAll(/(?<![\w-])Subscription(?=s?(?![\w-]))/g, capital)
    .replaceAll(/(?<![\w-])subscription(?=s?(?![\w-]))/g, word);
  // "An endpoint" is the only one that needs another article.
  return wording === "endpoints" ? changed.replaceAll(/\b([Aa]) (?=endpoint)/g, "$1n ") : changed;
}

/** The page, or a part of one, with the word of the portal. */
export function rewordedPage(html: string, wording: Wording): string {
  const ifKnown = (text: string) => (KNOWN.has(text.trim()) ? reworded(text, wording) : text);
  return html
    .replaceAll(BETWEEN_TAGS, ifKnown)
    .replaceAll(NAME, ifKnown)
    .replaceAll(OURS, (_, tag: string, text: string) => tag + reworded(text, wording))
    .replace(TITLE, (all, text: string) => (KNOWN.has(text) ? `<title>${reworded(text, wording)} · ` : all));
}
