/** Hosts that requests of this service must not reach: private and reserved addresses. */
import ipaddr from "ipaddr.js";
import { withoutEnd } from "./without-end";

/**
 * Names that resolve only to this machine or on its local network: RFC 6761, 6762, 8375, and names reserved by
 * convention.
 */
const FORBIDDEN_NAMES = /(^|\.)(localhost|localdomain|local|internal|home\.arpa|lan|home|corp|svc|onion)$/;

/** The only IPv6 space that IANA has assigned to public hosts (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Removes the dot of the DNS root, with which a host name may end. */
export const withoutDot = (hostname: string) => withoutEnd(hostname, ".");

/**
 * `hostname` comes from the URL parser, which has already turned 0x7f000001, 127.1 and full-width digits into
 * 127.0.0.1.
 */
export function isPrivateHost(hostname: string): boolean {
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
