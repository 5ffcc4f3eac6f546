/** The formats that a schema can ask for. Each takes time in proportion to the length of the text. */
import ipaddr from "ipaddr.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-](\d\d):(\d\d))$/i;
const DURATION = /^P(?=[\dT])(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;
const URI = /^[a-z][a-z0-9+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]*$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_HOST_CHARACTERS = 253;

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day));
  // The year is set apart: the constructor reads years below 100 as of the 20th century.
  date.setUTCFullYear(year, month - 1, day);
  return (
    DATE.test(text) && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCFullYear() === year
  );
}

function isTime(text: string): boolean {
  const found = TIME.exec(text);
  if (!found) return false;
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const isValid = hour < 24 && minute < 60 && second <= 60 && offsetHour < 24 && offsetMinute < 60;
  if (!isValid || second < 60) return isValid;
  const offset = (offsetHour * 60 + offsetMinute) * (/-\d\d:\d\d$/.test(text) ? -1 : 1);
  // A leap second is the last one of a day in UTC.
  return (hour * 60 + minute - offset + 24 * 60) % (24 * 60) === 24 * 60 - 1;
}

const isDateTime = (text: string): boolean =>
  /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const isHostname = (text: string): boolean =>
  text.length <= MAX_HOST_CHARACTERS && text.split(".").every((label) => LABEL.test(label));

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  return LOCAL_PART.test(local) && !/^\.|\.$|\.\./.test(local) && isHostname(text.slice(at + 1));
}

export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": isDateTime,
  date: isDate,
  time: isTime,
  duration: (text) => DURATION.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => ipaddr.IPv4.isValidFourPartDecimal(text) && !/(^|\.)0\d/.test(text),
  ipv6: (text) => text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text),
  uri: (text) => URI.test(text) && !/%(?![0-9a-f]{2})/i.test(text),
  uuid: (text) => UUID.test(text),
};
