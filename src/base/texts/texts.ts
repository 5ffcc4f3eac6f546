/** The texts of a language, with those that the product has replaced. */

import type { AuditAction } from "../schemas/audit-actions";
import { sentenceIn, sentenceOf } from "../schemas/audit-sentences";
import { isLocale, type Locale } from "../schemas/locales";
import { en, type TextCatalogue, type TextKey } from "./en";

/** The texts of a language as we have written them. */
export interface LanguageTexts {
  locale: Locale;
  texts: TextCatalogue;
}

/** The only one in the code of the Worker; catalogue.ts reads the others. */
export const ENGLISH_CATALOGUE: LanguageTexts = { locale: "en", texts: en };

/** The keys of texts with a number, which are one text for 1 and one for others. */
export type CountKey = TextKey extends infer Key ? (Key extends `${infer Base}.one` ? Base : never) : never;

export const isTextKey = (key: string): key is TextKey => Object.hasOwn(en, key);

/** Texts of the product in place of ours. */
export type OwnTexts = Readonly<Partial<Record<Locale, Readonly<Partial<Record<TextKey, string>>>>>>;

export interface Language {
  locale: Locale;
  /** The text of a key, with the names of its values. */
  template(key: TextKey): string;
  /** The text of a key, with the values in place of their names. */
  say(key: TextKey, values?: Readonly<Record<string, string>>): string;
  /** The text for a number of things, with the number in place of `{count}`. */
  count(key: CountKey, count: number, values?: Readonly<Record<string, string>>): string;
  /** What an action of the audit log did, without who did it. `values` are members of the event's meta. */
  act(action: AuditAction, values: Readonly<Record<string, unknown>>): string;
  /** "1,234" */
  number(value: number): string;
  /** "a, b and c" */
  list(items: readonly string[]): string;
  /** A time in Unix ms, such as "21 November 2026 at 23:04 UTC". */
  moment(timeMs: number): string;
}

/** Between the parts of a text stand the names of its values. */
const NAMES = /\{(\w+)\}/;

/** The names of the values in a text. */
export const namesIn = (text: string): string[] => text.split(NAMES).filter((_, place) => place % 2 === 1);

/** The parts of a text, with what `toPart` returns for each name between them. */
export const partsOf = <Part>(text: string, toPart: (name: string) => Part): (string | Part)[] =>
  text.split(NAMES).map((part, place) => (place % 2 === 1 ? toPart(part) : part));

const REGIONS: Partial<Record<Locale, string>> = { en: "en-GB" };

/** `reworded` changes each text, such as to the page's own word for something. */
export function textsIn(
  { locale, texts }: LanguageTexts,
  own: OwnTexts = {},
  reworded = (text: string) => text,
): Language {
  const format = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  const region = REGIONS[locale] ?? locale;
  const template = (key: TextKey) => reworded(own[locale]?.[key] ?? texts[key]);
  const say: Language["say"] = (key, values = {}) => partsOf(template(key), (name) => values[name] ?? "").join("");
  return {
    locale,
    template,
    say,
    count: (key, count, values = {}) =>
      say(count === 1 ? `${key}.one` : `${key}.other`, { ...values, count: count.toLocaleString(region) }),
    act: (action, values) => {
      const own = texts[`act.${action}`];
      const parts = own === undefined ? sentenceOf(action, values) : sentenceIn(own, values);
      return parts.map(({ text }) => text).join("");
    },
    number: (value) => value.toLocaleString(region),
    list: (items) => new Intl.ListFormat(region).format(items),
    moment: (timeMs) => `${new Intl.DateTimeFormat(region, format).format(timeMs)} UTC`,
  };
}

/** Our own texts in English. */
export const ENGLISH: Language = textsIn(ENGLISH_CATALOGUE);

const MAX_HEADER_CHARACTERS = 500;

/** The language that an `Accept-Language` header (RFC 9110 section 12.5.4) prefers; undefined if we have none of it. */
export function localeOf(header: string | undefined): Locale | undefined {
  const asked = (header ?? "")
    .slice(0, MAX_HEADER_CHARACTERS)
    .split(",")
    .map((range) => {
      const [tag = "", ...parameters] = range.trim().toLowerCase().split(";");
      const quality = parameters.find((parameter) => parameter.trim().startsWith("q="))?.split("=")[1];
      return { locale: tag.split("-")[0], quality: quality === undefined ? 1 : Number(quality) || 0 };
    });
  const best = asked.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality);
  return best.map(({ locale }) => locale).find(isLocale);
}
