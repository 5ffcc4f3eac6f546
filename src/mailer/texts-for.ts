/** The texts in the language of a recipient. */
import type { Deps } from "../base/deps";
import type { Locale } from "../base/schemas/locales";
import { type Language, textsIn } from "../base/texts/texts";

/** `locale` is null for somebody who has chosen none. */
export const textsFor = ({ config }: Deps, { locale }: { locale: Locale | null }): Language =>
  textsIn(locale ?? config.defaultLocale, config.texts);
