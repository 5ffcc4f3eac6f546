/** Codes that people type, or copy from mails. */

const DIGIT = /\p{Nd}/u;

/**
 * Returns the code in ASCII digits, without spaces, dashes and the marks that stand in texts of both directions.
 * Keyboards of Chinese and Japanese write digits in full width, and those of Arabic, Persian or Hindi their own.
 */
export const typedCode = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/[\s\p{Cf}\p{Pd}]/gu, "")
    .replaceAll(/\p{Nd}/gu, asciiDigit);

/** The digits of a script follow each other, from zero on. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}
