/** The client's IP address, as rate limits and sessions use it. */
import ipaddr from "ipaddr.js";

/**
 * The address in `cf-connecting-ip`, the only such header that a client cannot set; "unknown" without it.
 * An IPv6 address is reduced to its /64 network, because one client usually has all addresses in it.
 */
export function clientIp(request: Request): string {
  const address = request.headers.get("cf-connecting-ip") ?? "unknown";
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}
