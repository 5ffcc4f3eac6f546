/** The settings for languages. */
import * as z from "zod";
import { jsonOf } from "../json";
import { isLocale, LOCALES } from "../schemas/locales";
import { en } from "../texts/en";
import { isTextKey, namesIn, type OwnTexts } from "../texts/texts";

const MAX_CHARACTERS = 2_000;

const ownTexts = z
  .string()
  .transform((text, context): OwnTexts => {
    const shape = z.record(z.string(), z.record(z.string(), z.string().regex(/\S/).max(MAX_CHARACTERS)));
    const given = shape.safeParse(text === "" ? {} : jsonOf(text));
    if (given.success && Object.entries(given.data).every(([locale, texts]) => fitsCatalogue(locale, texts))) {
      return given.data as OwnTexts;
    }
    context.addIssue({ code: "custom", message: "unknown form" });
    return z.NEVER;
  })
  .prefault("");

/** Whether each text is in place of one of ours, and names no value that ours, in any language, does not have. */
const fitsCatalogue = (locale: string, texts: Readonly<Record<string, string>>): boolean =>
  isLocale(locale) &&
  Object.entries(texts).every(
    ([key, text]) => isTextKey(key) && namesIn(text).every((name) => namesIn(en[key]).includes(name)),
  );

export const LANGUAGE_VARIABLES = {
  DEFAULT_LOCALE: {
    description:
      "The language of mails to people who have chosen none, and of pages for browsers that ask for none of ours.",
    must: `be one of ${LOCALES.join(", ")}`,
    schema: z.enum(LOCALES).prefault("en"),
  },
  TEXTS: {
    description:
      "[Your own texts](languages.md#texts-of-your-own) in place of ours, in JSON, by language and key. Empty: none.",
    must:
      'be empty, or JSON such as {"en":{"signIn.title":"Sign in to Shop"}}, with languages and keys that there are, ' +
      "and in braces only names that our text has",
    schema: ownTexts,
  },
} as const;
