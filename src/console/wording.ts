/** What pages call a subscription. */
import type { Locale } from "../base/schemas/locales";

export type Term = "subscription" | "webhook" | "endpoint";

/** Not a part of another word or of a name, such as `X-Subscription` or `subscription.created`. */
const WORD = /(?<![\w.“"-])([Ss])ubscription(?=s?(?![\w”"-]|\.\w))/g;

/** What the other languages call an endpoint where their texts say "webhook", the longest first. */
const ENDPOINTS: Readonly<Record<Exclude<Locale, "en">, readonly (readonly [RegExp, string])[]>> = {
  de: [
    [/\bWebhooks\b/g, "Endpunkte"],
    [/\bWebhook\b/g, "Endpunkt"],
  ],
  fr: [
    [/\b([Ll])e webhook\b/g, "$1’endpoint"],
    [/\bdu webhook\b/g, "de l’endpoint"],
    [/\b([Cc])e webhook\b/g, "$1et endpoint"],
    [/\b([Nn])ouveau webhook\b/g, "$1ouvel endpoint"],
    [/\bde webhooks\b/g, "d’endpoints"],
    [/\bwebhook/g, "endpoint"],
    [/\bWebhook/g, "Endpoint"],
  ],
  es: [
    [/\bwebhook/g, "endpoint"],
    [/\bWebhook/g, "Endpoint"],
  ],
};

/** As `worded`, for a text in this language. Those in other languages than English say "webhook". */
export function wordedIn(locale: Locale, text: string, term: Term): string {
  if (locale === "en") return worded(text, term);
  if (term !== "endpoint") return text;
  return ENDPOINTS[locale].reduce((changed, [word, other]) => changed.replaceAll(word, other), text);
}

/**
 * A text of ours, in which a subscription is called `term`. Never a name or anything else that somebody has typed.
 */
export function worded(text: string, term: Term): string {
  if (term === "subscription") return text;
  const capital = term.charAt(0).toUpperCase() + term.slice(1);
  const changed = text.replaceAll(WORD, (_, first: string) => (first === "S" ? capital : term));
  // "An endpoint" is the only one that needs another article.
  return term === "endpoint" ? changed.replaceAll(/\b([Aa]) (?=endpoint)/g, "$1n ") : changed;
}
