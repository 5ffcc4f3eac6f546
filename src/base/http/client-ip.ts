/** The client's IP address, as rate limits and sessions use it. */
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import { fromBase64, utf8 } from "../crypto/encoding";
import { MINUTE_MS } from "../time";
import type { AppEnv } from "./env";

const SIGNATURE = /^t=(\d{10}),v1=([A-Za-z0-9+/]{43}=)$/;
const MAX_SIGNATURE_AGE_MS = MINUTE_MS;

/**
 * The address that one of our servers has signed, otherwise `cf-connecting-ip`, which a client cannot set; "unknown" if
 * both are missing. An IPv6 address is reduced to its /64 network, because one client usually has all addresses in it.
 * `isRelayed`: it was signed.
 */
export async function clientAddress(c: Context<AppEnv>): Promise<{ clientIp: string; isRelayed: boolean }> {
  const signed = await signedIp(c);
  const address = signed ?? c.req.header("cf-connecting-ip");
  return { clientIp: address === undefined ? "unknown" : clientOf(address), isRelayed: signed !== null };
}

function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // A server that listens on IPv6 sees an IPv4 client as ::ffff:192.0.2.1.
  const processed = ipaddr.process(address);
  if (processed.kind() === "ipv4") return processed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/**
 * The address in `X-Client-IP`, if `X-Client-IP-Signature` signs it together with the request's method, path and time,
 * with the secret that we share with the server that sent the request. Requests of a Worker in another zone all come
 * from one address: without this, its users would share one limit.
 */
async function signedIp(c: Context<AppEnv>): Promise<string | null> {
  const { config, now } = c.get("deps");
  const address = c.req.header("x-client-ip");
  const [, timeSeconds = "", signature = ""] = c.req.header("x-client-ip-signature")?.match(SIGNATURE) ?? [];
  if (!config.clientIpSecret || !address || !signature || !ipaddr.isValid(address)) return null;
  if (Math.abs(now() - Number(timeSeconds) * 1000) > MAX_SIGNATURE_AGE_MS) return null;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8(config.clientIpSecret), algorithm, false, ["verify"]);
  // As it stands in the URL: Hono's path is decoded.
  const { pathname } = new URL(c.req.url);
  const signed = utf8(`${c.req.method}.${pathname}.${timeSeconds}.${address}`);
  return (await crypto.subtle.verify("HMAC", key, fromBase64(signature), signed)) ? address : null;
}
