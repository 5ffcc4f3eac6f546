/**
 * The texts of a language. Those in English are in the code of the Worker. The others are files beside it, because few
 * isolates need them: each reads the file of a language once. No route serves these files.
 */
import * as z from "zod";
import { describeError, log } from "../log/log";
import { readBounded } from "../read-bounded";
import type { Locale } from "../schemas/locales";
import { en } from "./en";
import { ENGLISH_CATALOGUE, type LanguageTexts } from "./texts";

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 2_000;
/** Only the path counts: the binding answers for any host. */
const HOST = "https://assets.invalid";

/** The path of a language's file in the folder of the assets. */
export const pathOfTexts = (locale: Locale): string => `texts/${locale}.json`;

/** What a reading needs of `Deps`. */
interface Reader {
  assets: Fetcher;
  background(what: string, work: Promise<unknown>): void;
}

const texts = z.record(z.string(), z.string());

/** What has been read or is being read, by language. */
const readings = new Map<Locale, Promise<LanguageTexts>>();

/** For tests. */
export const forgetCatalogues = (): void => readings.clear();

/** The texts of the language; in English if its file cannot be read, which the next caller tries again. */
export async function readCatalogue(reader: Reader, locale: Locale): Promise<LanguageTexts> {
  if (locale === "en") return ENGLISH_CATALOGUE;
  const reading = readings.get(locale) ?? beginReading(reader, locale);
  const catalogue = await reading;
  if (catalogue === ENGLISH_CATALOGUE && readings.get(locale) === reading) readings.delete(locale);
  return catalogue;
}

/** Other requests wait for the reading too, so it goes on when the client of this one goes away. */
function beginReading({ assets, background }: Reader, locale: Locale): Promise<LanguageTexts> {
  const reading = readOrEnglish(assets, locale);
  readings.set(locale, reading);
  background("read texts", reading);
  return reading;
}

async function readOrEnglish(assets: Fetcher, locale: Locale): Promise<LanguageTexts> {
  try {
    return { locale, texts: { ...en, ...(await readFile(assets, locale)) } };
  } catch (error) {
    log("error", "texts not read", { locale, ...describeError(error) });
    return ENGLISH_CATALOGUE;
  }
}

async function readFile(assets: Fetcher, locale: Locale): Promise<Record<string, string>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await assets.fetch(`${HOST}/${pathOfTexts(locale)}`, { signal });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return texts.parse(JSON.parse(new TextDecoder().decode(await readBounded(response, signal, MAX_BYTES))));
}
