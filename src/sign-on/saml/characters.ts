/** The characters of XML 1.0, section 2.2, and what stands for one of them (section 4.1). */
import { XmlRefused } from "./xml";

const ILLEGAL = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6});|#([0-9]{1,7});|(amp|lt|gt|quot|apos);)?/g;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export const isLegal = (text: string): boolean => !ILLEGAL.test(text);

/** Line ends as XML has them, section 2.11: a parser sees no carriage return but one that is written as a reference. */
export const withLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

/** Text with the characters that its references stand for. Throws XmlRefused for one that is not known. */
export const withCharacters = (text: string): string =>
  text.includes("&") ? text.replaceAll(REFERENCE, character) : text;

/** The value of an attribute, section 3.3.3: white space counts as blanks, unless it is written as a reference. */
export const attributeValue = (text: string): string => withCharacters(text.replaceAll(/[\t\n]/g, " "));

function character(_: string, hex: string | undefined, decimal: string | undefined, name: string | undefined): string {
  if (name !== undefined) return NAMED[name] ?? "";
  const digits = hex ?? decimal;
  const code = digits === undefined ? Number.NaN : Number.parseInt(digits, hex === undefined ? 10 : 16);
  if (!(code <= 0x10ffff)) throw new XmlRefused("it has an unknown entity");
  const text = String.fromCodePoint(code);
  if (!isLegal(text)) throw new XmlRefused("it has a reference to a character that XML does not know");
  return text;
}

/** In the texts of canonical XML 1.0, section 2.3. */
const IN_TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };
const IN_VALUE: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

export const canonicalText = (text: string): string => text.replaceAll(/[&<>\r]/g, (one) => IN_TEXT[one] ?? one);

export const canonicalValue = (value: string): string =>
  value.replaceAll(/[&<"\t\n\r]/g, (one) => IN_VALUE[one] ?? one);
