/** The client's IP address, as limits and sessions use it. */
import ipaddr from "ipaddr.js";

/**
 * Reads `cf-connecting-ip`, the only header that clients can't set; "unknown" without it. An IPv6 address becomes its /64 network,
 * because one client holds all addresses of that.
 */
export function clientIp(request: Request): string {
  const address = request.headers.get("cf-connecting-ip") ?? "unknown";
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}
