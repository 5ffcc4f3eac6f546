/** Atoms that several routes share. */
import { z } from "zod";

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 256;
const MAX_EMAIL_CHARACTERS = 254;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** An address as accounts are keyed: NFKC-normalised, trimmed and lower-cased before it is validated. */
export const email = z
  .string()
  .max(1000)
  .transform((text) => text.normalize("NFKC").trim().toLowerCase())
  .pipe(z.email().max(MAX_EMAIL_CHARACTERS));

/** A password being set: 8 to 256 code points after NFKC, never trimmed. */
export const newPassword = z.string().superRefine((password, context) => {
  const length = password.length > 4 * MAX_PASSWORD_CHARACTERS ? Infinity : [...password.normalize("NFKC")].length;
  if (length < MIN_PASSWORD_CHARACTERS) {
    context.addIssue({ code: "custom", message: `Must have at least ${MIN_PASSWORD_CHARACTERS} characters` });
  } else if (length > MAX_PASSWORD_CHARACTERS) {
    context.addIssue({ code: "custom", message: `Must have at most ${MAX_PASSWORD_CHARACTERS} characters` });
  }
});

/** A password being checked: only bounded, so that an old one always works. */
export const givenPassword = z
  .string()
  .min(1)
  .max(4 * MAX_PASSWORD_CHARACTERS);

/** A name that a person types: trimmed, 1 to 200 characters, one line. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !CONTROL_CHARACTERS.test(text), "Must not contain control characters");

/** A token as we send it by mail or show once; any other form can't be right, but only its use tells. */
export const opaqueToken = z.string().min(1).max(1000);
