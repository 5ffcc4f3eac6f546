/** Labels of host names that stand for other characters (RFC 3492). `new URL` does not check them everywhere. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 0x80;
const MAX_CODE_POINT = 0x10ffff;

/** The text for which a label of at most 63 characters stands, without its `xn--`; null for none. */
export function decodedPunycode(label: string): string | null {
  const split = label.lastIndexOf("-");
  const points = [...label.slice(0, Math.max(split, 0))].map((letter) => letter.charCodeAt(0));
  const digits = [...label.slice(split + 1)].map(digitOf);
  let [codePoint, bias, place, at] = [INITIAL_CODE_POINT, INITIAL_BIAS, 0, 0];
  while (at < digits.length) {
    const before = place;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digits[at] ?? Number.NaN;
      at += 1;
      place += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      // Without a further digit, the number does not end.
      if (Number.isNaN(place) || weight > Number.MAX_SAFE_INTEGER) return null;
    }
    const count = points.length + 1;
    bias = adapted(place - before, count, before === 0);
    codePoint += Math.floor(place / count);
    place %= count;
    if (codePoint > MAX_CODE_POINT || (codePoint >= 0xd800 && codePoint < 0xe000)) return null;
    points.splice(place, 0, codePoint);
    place += 1;
  }
  return digits.length > 0 ? String.fromCodePoint(...points) : null;
}

function digitOf(letter: string): number {
  const value = Number.parseInt(letter, BASE);
  // Letters come before digits.
  return value < 10 ? value + 26 : value - 10;
}

/** RFC 3492 section 6.1. */
function adapted(delta: number, count: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) left = Math.floor(left / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}
