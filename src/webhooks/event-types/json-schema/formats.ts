/** The formats that a schema can ask for. Each takes time in proportion to the length of the text. */
import ipaddr from "ipaddr.js";
import { decodedPunycode } from "./punycode";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-](\d\d):(\d\d))$/i;
/** No unit may be left out between two others (RFC 3339 appendix A). */
const DATE_UNITS = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const TIME_UNITS = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const DURATION = new RegExp(`^P(?:\\d+W|${DATE_UNITS}(?:${TIME_UNITS})?|${TIME_UNITS})$`);
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;
/** A path; a query and a fragment may have question marks too (RFC 3986 section 3). */
const PATH = String.raw`[\w.~!$&'()*+,;=:@%/-]*`;
const QUERY = String.raw`[\w.~!$&'()*+,;=:@%/?-]*`;
const URI = new RegExp(`^[a-z][a-z\\d+.-]*:(?://([^/?#]*)(?=[/?#]|$))?${PATH}(?:\\?${QUERY})?(?:#${QUERY})?$`, "i");
/** Who, the address in brackets or else a name, and the port (RFC 3986 section 3.2). */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=:%-]*@)?(?:\[([^[\]]*)\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;
const FUTURE_ADDRESS = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
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
  text.length <= MAX_HOST_CHARACTERS && text.split(".").every((label) => LABEL.test(label) && isReadable(label));

/** Whether a label that says so is Punycode of a name, without hyphens or marks that mislead (RFC 5891 4.2.3). */
function isReadable(label: string): boolean {
  if (!/^xn--/i.test(label)) return true;
  const name = decodedPunycode(label.slice("xn--".length));
  return name !== null && !/^(?:\p{M}|..--)/u.test(name);
}

const isIpv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) && !/(^|\.)0\d/.test(text);

function isIpv6(text: string): boolean {
  const last = text.slice(text.lastIndexOf(":") + 1);
  const isComplete = text.includes(":") && !text.includes("%") && (!last.includes(".") || isIpv4(last));
  return isComplete && ipaddr.IPv6.isValid(text);
}

function isUri(text: string): boolean {
  const uri = URI.exec(text);
  if (!uri || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const authority = AUTHORITY.exec(uri[1] ?? "");
  const address = authority?.[1];
  return authority !== null && (address === undefined || isIpv6(address) || FUTURE_ADDRESS.test(address));
}

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
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  uuid: (text) => UUID.test(text),
};
