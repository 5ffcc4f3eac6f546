/** The texts of a language, with those that the product has replaced. */

import { isLocale, type Locale } from "../schemas/locales";
import { de } from "./de";
import { en, type TextCatalogue, type TextKey } from "./en";
import { es } from "./es";
import { fr } from "./fr";

/** A language is one file. */
export const CATALOGUES: Readonly<Record<Locale, TextCatalogue>> = { en, de, fr, es };

export const isTextKey = (key: string): key is TextKey => Object.hasOwn(en, key);

/** Texts of the product in place of ours. */
export type OwnTexts = Readonly<Partial<Record<Locale, Readonly<Partial<Record<TextKey, string>>>>>>;

export interface Language {
  locale: Locale;
  /** The text of a key, with the names of its values. */
  template(key: TextKey): string;
  /** The text of a key, with the values in place of their names. */
  say(key: TextKey, values?: Readonly<Record<string, string>>): string;
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

export function textsIn(locale: Locale, own: OwnTexts = {}): Language {
  const catalogue: TextCatalogue = CATALOGUES[locale];
  const format = { dateStyle: "long", timeStyle: "short", timeZone: "UTC" } as const;
  const template = (key: TextKey) => own[locale]?.[key] ?? catalogue[key];
  return {
    locale,
    template,
    say: (key, values = {}) => partsOf(template(key), (name) => values[name] ?? "").join(""),
    moment: (timeMs) => `${new Intl.DateTimeFormat(REGIONS[locale] ?? locale, format).format(timeMs)} UTC`,
  };
}

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
