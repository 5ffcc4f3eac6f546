/** What pages call a subscription. */

export type Term = "subscription" | "webhook" | "endpoint";

/** Not a part of another word or of a name, such as `X-Subscription` or `subscription.created`. */
const WORD = /(?<![\w.“"-])([Ss])ubscription(?=s?(?![\w”"-]|\.\w))/g;

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
