/** The texts in the language of a recipient. */
import type { Deps } from "../base/deps";
import type { Locale } from "../base/schemas/locales";
import { readCatalogue } from "../base/texts/catalogue";
import { type Language, textsIn } from "../base/texts/texts";

/** `locale` is null for somebody who has chosen none. */
export const textsFor = async (deps: Deps, { locale }: { locale: Locale | null }): Promise<Language> =>
  textsIn(await readCatalogue(deps, locale ?? deps.config.defaultLocale), deps.config.texts);
