/** The rules for a subscription's URL: one function for creation, update and delivery. */
import type { Config } from "../config";

const MAX_URL_CHARACTERS = 2048;

const FORBIDDEN_NAMES = /(^|\.)(localhost|local|internal)$/;

/** Why the URL may not be called, as a sentence for the client; null when it may. */
export function refuseTarget(text: string, egress: Config["webhookEgress"]): string | null {
  if (text.length > MAX_URL_CHARACTERS) return `Must have at most ${MAX_URL_CHARACTERS} characters`;
  const url = URL.parse(text);
  if (!url) return "Must be a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not contain credentials";
  if (url.hostname === "") return "Must name a host";
  if (egress === "public" && isPrivateHost(url.hostname)) return "Must not point to a private or reserved address";
  return null;
}

/** `hostname` comes from the URL parser, which has already turned 0x7f000001, 127.1 and full-width digits into 127.0.0.1. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.+$/, "");
  if (host === "") return true;
  if (host.startsWith("[")) return isReservedIpv6(host.slice(1, -1));
  if (/^\d+(\.\d+){3}$/.test(host)) return isReservedIpv4(host.split(".").map(Number));
  return FORBIDDEN_NAMES.test(host);
}

/** Ranges of the IANA IPv4 special-purpose registry (RFC 6890), multicast and class E: first address and prefix length. */
const RESERVED_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

function isReservedIpv4(octets: number[]): boolean {
  const address = toInteger(octets);
  return RESERVED_IPV4.some(([first, prefixBits]) => {
    const size = 2 ** (32 - prefixBits);
    const start = toInteger(first.split(".").map(Number));
    return address >= start && address < start + size;
  });
}

const toInteger = (octets: number[]) => octets.reduce((sum, octet) => sum * 256 + octet, 0);

/** Only global unicast (2000::/3) is public, less documentation, Teredo, ORCHID and 6to4, which can carry any IPv4 address. */
function isReservedIpv6(address: string): boolean {
  const groups = expandIpv6(address);
  const [first = 0, second = 0] = groups;
  if (first < 0x2000 || first > 0x3fff) return true;
  if (first === 0x2002) return true;
  if (first === 0x2001 && (second < 0x0200 || second === 0x0db8)) return true;
  return first === 0x3fff && second < 0x1000;
}

/** The parser has compressed it and holds no dotted tail any more. */
function expandIpv6(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(zeros).fill("0"), ...back].map((group) => Number.parseInt(group, 16));
}
