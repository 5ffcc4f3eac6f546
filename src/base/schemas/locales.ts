/** The languages of mails and of the pages for accounts. English comes first: what there is in no other is in it. */
export const LOCALES = ["en", "de", "fr", "es"] as const;
export type Locale = (typeof LOCALES)[number];

export const isLocale = (text: unknown): text is Locale => LOCALES.includes(text as Locale);
