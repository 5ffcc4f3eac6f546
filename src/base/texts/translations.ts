/**
 * The languages besides English, each of which is one file. They are written beside the code of the Worker when it is
 * built, and catalogue.ts reads them there. Nothing that runs in the Worker imports this.
 */
import type { Locale } from "../schemas/locales";
import { de } from "./de";
import type { TextCatalogue } from "./en";
import { es } from "./es";
import { fr } from "./fr";

export const TRANSLATIONS: Readonly<Record<Exclude<Locale, "en">, TextCatalogue>> = { de, fr, es };
