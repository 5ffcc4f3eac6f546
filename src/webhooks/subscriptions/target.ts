/** Which URLs a subscription may have, checked when it is created or changed and again before each delivery. */
import ipaddr from "ipaddr.js";
import type { Config } from "../../platform/config";
import { MAX_URL_CHARACTERS } from "./schemas";

/**
 * Names that resolve only to this machine or on its local network: RFC 6761, 6762, 8375, and names reserved by
 * convention.
 */
const FORBIDDEN_NAMES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa|lan|home|corp|svc|onion)$/;

/** The only IPv6 space that IANA has assigned to public hosts (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns why a URL is refused, as a message for the client; null when it is accepted. `ownHosts` are the hosts of this
 * service: a subscription to its own `POST /events` would be a loop. `egress: "any"` accepts private addresses and own
 * hosts, for local development.
 */
export function refuseTarget(
  text: string,
  egress: Config["webhookEgress"],
  ownHosts: readonly string[],
): string | null {
  if (text.length > MAX_URL_CHARACTERS) return `Must have at most ${MAX_URL_CHARACTERS} characters`;
  const url = URL.parse(text);
  if (!url) return "Must be a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not contain credentials";
  if (url.hostname === "") return "Must name a host";
  if (egress === "any") return null;
  if (isPrivateHost(url.hostname)) return "Must not point to a private or reserved address";
  if (ownHosts.some((own) => withoutDot(url.hostname) === withoutDot(new URL(`http://${own}`).hostname))) {
    return "Must not point to this service";
  }
  return null;
}

/** Removes the dot of the DNS root, with which a host name may end. */
const withoutDot = (hostname: string) => hostname.replace(/\.+$/, "");

/**
 * `hostname` comes from the URL parser, which has already turned 0x7f000001, 127.1 and full-width digits into
 * 127.0.0.1.
 */
function isPrivateHost(hostname: string): boolean {
  const host = withoutDot(hostname.toLowerCase());
  if (host === "") return true;
  if (host.startsWith("[")) return !isPublicIpv6(ipaddr.IPv6.parse(host.slice(1, -1)));
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return ipaddr.IPv4.parse(host).range() !== "unicast";
  return FORBIDDEN_NAMES.test(host);
}

/**
 * "unicast" is the library's word for an address in no special-purpose range; it also uses it for space that IANA has
 * not assigned.
 */
const isPublicIpv6 = (address: ipaddr.IPv6) => address.match(GLOBAL_UNICAST) && address.range() === "unicast";
