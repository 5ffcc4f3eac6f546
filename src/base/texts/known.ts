/** Texts that other parts of the service have in English, such as errors of the API, in the language of a page. */
import { en, type TextKey } from "./en";
import { type Language, namesIn, partsOf } from "./texts";

/** What the English texts of a kind look like; a name in a text stands for any words. */
const shapesOf = (prefix: string): readonly (readonly [TextKey, RegExp])[] =>
  (Object.keys(en) as TextKey[])
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const parts = partsOf(en[key], () => null).map((part) => (part === null ? "(.+)" : RegExp.escape(part)));
      return [key, new RegExp(`^${parts.join("")}$`)];
    });

const SHAPES = { problem: shapesOf("problem."), option: shapesOf("option.") } as const;

/** An English text of ours in the language; undefined if the catalogues do not have it. */
export function knownText(texts: Language, kind: keyof typeof SHAPES, english: string): string | undefined {
  for (const [key, shape] of SHAPES[kind]) {
    const found = shape.exec(english);
    if (found)
      return texts.say(key, Object.fromEntries(namesIn(en[key]).map((name, at) => [name, found[at + 1] ?? ""])));
  }
  return undefined;
}
