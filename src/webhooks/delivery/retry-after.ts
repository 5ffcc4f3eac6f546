/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3): a number of seconds, or one of the three forms of a date (section
 * 5.6.7).
 */

/** The longest wait that a subscriber can ask for. */
const MAX_SECONDS = 86_400;

const SECONDS = /^\d+(\.\d+)?$/;
const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const IMF_FIXDATE = new RegExp(String.raw`^[A-Z][a-z]{2}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(String.raw`^[A-Z][a-z]{5,8}, (\d{2})-(${MONTH})-(\d{2}) (${TIME}) GMT$`);
const ASCTIME = new RegExp(String.raw`^[A-Z][a-z]{2} ${MONTH} [ \d]\d ${TIME} \d{4}$`);

/**
 * Returns how long the subscriber asks to wait from `nowMs` (Unix ms), in ms, at most a day. Returns null without the
 * header, for a time in the past, and for any other value, such as two headers joined into one.
 */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  const ms = SECONDS.test(text) ? Math.ceil(Number(text) * 1000) : dateOf(text, nowMs) - nowMs;
  return ms > 0 ? Math.min(ms, MAX_SECONDS * 1000) : null;
}

/** Returns a date in Unix ms; NaN for any other text. */
function dateOf(text: string, nowMs: number): number {
  if (IMF_FIXDATE.test(text)) return Date.parse(text);
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
  const [, day, month, year, time] = RFC_850.exec(text) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${day} ${month} ${fullYear(Number(year), nowMs)} ${time} GMT`);
}

/**
 * Returns the year with these last two digits: in this century, unless that is more than 50 years ahead (RFC 9110,
 * section 5.6.7).
 */
function fullYear(lastDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
