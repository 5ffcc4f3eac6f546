/** Texts that other parts of the service have in English, such as errors of the API, in the language of a page. */
import type { ToldAct } from "../schemas/audit-sentences";
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

const SHAPES = {
  problem: shapesOf("problem."),
  option: shapesOf("option."),
  quoted: shapesOf("quoted."),
  device: shapesOf("device."),
} as const;

export type QuotedKey = Extract<TextKey, `quoted.${string}`>;

/** A line that mails in several languages quote, in English: `translated` says it in theirs. */
export const quotable = (key: QuotedKey, values: Readonly<Record<string, string>>): string =>
  partsOf(en[key], (name) => values[name] ?? "").join("");

/** Lines of `quotable` in the language. */
export const inWords = (texts: Language, lines: readonly string[]): string[] =>
  lines.map((line) => translated(texts, "quoted", line));

/** What a mail says of an act in the audit log. */
export function actLine(texts: Language, { action, values, tenant, name, count }: ToldAct): string {
  const act = texts.act(action, values) + (name === null ? "" : ` "${name}"`);
  const line = { tenant: tenant ?? texts.say("quoted.service"), act, count: String(count) };
  return texts.say(count === 1 ? "quoted.act" : "quoted.acts", line);
}

/** An English text of ours in the language, or as it is. */
export const translated = (texts: Language, kind: keyof typeof SHAPES, english: string): string =>
  knownText(texts, kind, english) ?? english;

/** An English text of ours in the language; undefined if the catalogues do not have it. */
export function knownText(texts: Language, kind: keyof typeof SHAPES, english: string): string | undefined {
  for (const [key, shape] of SHAPES[kind]) {
    const found = shape.exec(english);
    if (found)
      return texts.say(key, Object.fromEntries(namesIn(en[key]).map((name, at) => [name, found[at + 1] ?? ""])));
  }
  return undefined;
}
