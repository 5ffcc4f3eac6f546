/** `Retry-After` (RFC 9110, section 10.2.3): seconds, or one of the three forms of a date (section 5.6.7). */

/** A subscriber can't put a delivery off any further. */
const MAX_SECONDS = 86_400;

const SECONDS = /^\d+(\.\d+)?$/;
const TIME = String.raw`\d{2}:\d{2}:\d{2}`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const IMF_FIXDATE = new RegExp(String.raw`^[A-Z][a-z]{2}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(String.raw`^[A-Z][a-z]{5,8}, (\d{2})-(${MONTH})-(\d{2}) (${TIME}) GMT$`);
const ASCTIME = new RegExp(String.raw`^[A-Z][a-z]{2} ${MONTH} [ \d]\d ${TIME} \d{4}$`);

/**
 * How long the subscriber asks us to wait from `nowMs` (Unix ms), in ms and at most a day. Null for no header, a moment that has passed,
 * and anything else, such as two headers in one.
 */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  const ms = SECONDS.test(text) ? Math.ceil(Number(text) * 1000) : dateOf(text, nowMs) - nowMs;
  return ms > 0 ? Math.min(ms, MAX_SECONDS * 1000) : null;
}

/** Unix ms; NaN when it is no date. */
function dateOf(text: string, nowMs: number): number {
  if (IMF_FIXDATE.test(text)) return Date.parse(text);
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
  const [, day, month, year, time] = RFC_850.exec(text) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${day} ${month} ${fullYear(Number(year), nowMs)} ${time} GMT`);
}

/** A two-digit year that would be more than 50 years ahead is the last one that ended so. */
function fullYear(lastDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
