/**
 * The texts of a language. Those in English are in the code of the Worker. The others are files beside it, because few
 * isolates need them.
 */
import * as z from "zod";
import { type Reader, readOnce } from "../files";
import type { Locale } from "../schemas/locales";
import { en } from "./en";
import { ENGLISH_CATALOGUE, type LanguageTexts } from "./texts";

/** The path of a language's file in the folder of the assets. */
export const pathOfTexts = (locale: Locale): string => `texts/${locale}.json`;

const texts = z.record(z.string(), z.string());

/** The texts of the language; in English if its file cannot be read, which the next caller tries again. */
export async function readCatalogue(reader: Reader, locale: Locale): Promise<LanguageTexts> {
  if (locale === "en") return ENGLISH_CATALOGUE;
  const catalogue = await readOnce(reader, {
    path: pathOfTexts(locale),
    parse: (text) => ({ locale, texts: { ...en, ...texts.parse(JSON.parse(text)) } }),
  });
  return catalogue ?? ENGLISH_CATALOGUE;
}
