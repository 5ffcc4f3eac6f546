/** Codes that people type. */

/** Returns the code without spaces. Keyboards of Chinese and Japanese write digits in full width. */
export const typedCode = (text: string): string => text.normalize("NFKC").replaceAll(/\s/g, "");
