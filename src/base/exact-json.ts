/**
 * JSON whose numbers keep their digits. JSON.parse turns a number into a double, which changes 9007199254740993 and
 * makes 1e309 infinite. Such a number is parsed as an ExactNumber instead, which JSON.stringify writes as it was.
 */

/** A number that a double cannot hold, as it was written. JSON.stringify writes it so. */
export interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  // https://github.com/tc39/proposal-json-parse-with-source
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

export const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value);

/** A double holds any number of 15 digits. */
const ALWAYS_HELD_CHARACTERS = 15;
/** Most texts have no other numbers, and need not be looked at. */
const MAY_HAVE_OTHERS = /\d[\d.]{15}|\d[eE]/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** A double is told from all others by so many digits. */
const MOST_DIGITS = 17;

/** Parses a text. Throws SyntaxError. */
export const parseExact = (text: string): unknown => withExactNumbers(text, JSON.parse(text));

/** Parses a text to show it: JSON.stringify writes each number as it was, 1.0 too. Throws SyntaxError. */
export const parseVerbatim = (text: string): unknown => marked(text, JSON.parse(text), isWrittenSo);

/** Returns `parsed`, what JSON.parse makes of the text, with all digits of its numbers. */
export const withExactNumbers = (text: string, parsed: unknown): unknown =>
  MAY_HAVE_OTHERS.test(text) ? marked(text, parsed, isHeld) : parsed;

const isWrittenSo = (literal: string): boolean => literal === JSON.stringify(Number(literal));

/** `parsed` with an ExactNumber for each number that may not stay one. */
function marked(text: string, parsed: unknown, mayStay: (literal: string) => boolean): unknown {
  // Nobody can send a string that begins so.
  const mark = crypto.randomUUID();
  const changed = textWithMarks(text, mark, mayStay);
  return changed === null ? parsed : unmarked(JSON.parse(changed), mark);
}

/** The text with each number that may not stay as a string that begins with `mark`; null if all may. */
function textWithMarks(text: string, mark: string, mayStay: (literal: string) => boolean): string | null {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x2d || isDigit(unit)) {
      const end = endOfNumber(text, at);
      const literal = text.slice(at, end);
      if (!mayStay(literal)) {
        parts.push(text.slice(copied, at), JSON.stringify(`${mark}${literal}`));
        copied = end;
      }
      at = end - 1;
    }
  }
  return parts.length === 0 ? null : [...parts, text.slice(copied)].join("");
}

function endOfNumber(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && (isDigit(text.charCodeAt(end)) || "+-.Ee".includes(text.charAt(end)))) end += 1;
  return end;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** The place of the quotation mark that ends the string at `at`. */
export function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== 0x22) end += text.charCodeAt(end) === 0x5c ? 2 : 1;
  return end;
}

/** Replaces the marked strings. In a loop, because a recursion would overflow the stack at deep nesting. */
function unmarked(root: unknown, mark: string): unknown {
  const exact = (value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? JSON.rawJSON(value.slice(mark.length)) : null;
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      const number = exact(member);
      // An assignment to __proto__ would do something else.
      if (number) Object.defineProperty(value, name, { value: number, enumerable: true });
      else if (typeof member === "object") open.push(member);
    }
  }
  return exact(root) ?? root;
}

/** Whether a double holds the number: it is written again with the same value. */
export function isHeld(literal: string): boolean {
  if (literal.length <= ALWAYS_HELD_CHARACTERS && !/e/i.test(literal)) return true;
  const number = Number(literal);
  return Number.isFinite(number) && isSame(decimalOf(literal), decimalOf(String(number)));
}

/** A number: 0.digits × 10^exponent, and 0 has no digits. */
interface Decimal {
  isNegative: boolean;
  digits: string;
  exponent: number;
}

function decimalOf(literal: string): Decimal {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(literal) ?? [];
  const all = whole + fraction;
  let start = 0;
  while (all.charCodeAt(start) === 0x30) start += 1;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === 0x30) end -= 1;
  const digits = all.slice(start, end);
  return { isNegative: sign === "-" && digits !== "", digits, exponent: Number(exponent) + whole.length - start };
}

const isSame = (a: Decimal, b: Decimal): boolean =>
  a.digits.length <= MOST_DIGITS && a.digits === b.digits && (a.digits === "" || compared(a, b) === 0);

/** Compares by value: negative, 0 or positive if the number is less than, equal to or greater than the other one. */
export const compareExact = ({ rawJSON }: ExactNumber, other: number): number =>
  compared(decimalOf(rawJSON), decimalOf(String(other)));

function compared(a: Decimal, b: Decimal): number {
  const [signOfA, signOfB] = [signOf(a), signOf(b)];
  if (signOfA !== signOfB) return signOfA - signOfB;
  const size = a.exponent - b.exponent || (a.digits < b.digits ? -1 : Number(a.digits > b.digits));
  return signOfA === 0 ? 0 : signOfA * size;
}

const signOf = ({ digits, isNegative }: Decimal): number => (digits === "" ? 0 : isNegative ? -1 : 1);

/** Whether the number has no fraction. */
export function isWhole({ rawJSON }: ExactNumber): boolean {
  const { digits, exponent } = decimalOf(rawJSON);
  return digits.length <= exponent;
}

/** The names that lead to the first number that a double cannot hold; null without one. */
export function placeOfExact(root: unknown): string[] | null {
  const open: { value: unknown; place: Place }[] = [{ value: root, place: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, place } = next;
    if (isExactNumber(value) || (typeof value === "number" && !Number.isFinite(value))) return namesOf(place);
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of Object.entries(value)) open.push({ value: member, place: { above: place, name } });
  }
  return null;
}

type Place = { above: Place; name: string } | null;

function namesOf(place: Place): string[] {
  const names: string[] = [];
  for (let at = place; at; at = at.above) names.unshift(at.name);
  return names;
}
