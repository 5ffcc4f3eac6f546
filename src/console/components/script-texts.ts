/** The texts that the script shows. */
import { en, type TextKey } from "../../base/texts/en";
import type { Language } from "../../base/texts/texts";

const KEYS = (Object.keys(en) as TextKey[]).filter((key) => key.startsWith("script."));

/** Those that are not as the script has them, by what it has, in JSON; undefined if there are none. */
export function scriptTexts(texts: Language): string | undefined {
  const others = KEYS.map((key) => [en[key], texts.template(key)] as const).filter(([own, text]) => own !== text);
  return others.length === 0 ? undefined : JSON.stringify(Object.fromEntries(others));
}
