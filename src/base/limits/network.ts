/** The network of a client's address. */
import ipaddr from "ipaddr.js";

/**
 * The network that a provider gives to a neighbourhood (a /24 of IPv4) or to a customer (a /48 of IPv6). Null for
 * "unknown". `clientIp` is what `clientAddress` returns.
 */
export function networkOf(clientIp: string): string | null {
  const [address = ""] = clientIp.split("/");
  if (ipaddr.IPv6.isValid(address)) return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`;
  return ipaddr.IPv4.isValid(address) ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24` : null;
}
