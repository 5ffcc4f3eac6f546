/** What each scope lets an app do, in English. Pages say it in the language of the reader. */
import { en, type TextKey } from "../base/texts/en";
import { isTextKey } from "../base/texts/texts";

/** The text of one of our scopes; undefined for another. */
export function keyOfScope(scope: string): TextKey | undefined {
  const key = `consent.${scope}`;
  return isTextKey(key) ? key : undefined;
}

export function textOf(scope: string): string {
  const key = keyOfScope(scope);
  return key === undefined ? scope : en[key];
}
