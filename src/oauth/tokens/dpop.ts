/**
 * An app shows that it has a key, so that its tokens are of no use to whoever steals them (RFC 9449). A proof names the
 * request, our nonce of this half minute, and itself once: what an isolate has seen, it refuses. Two isolates may take
 * one proof, which is why it lives for a minute alone.
 */
import { base64url, calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from "jose";
import { BoundedMap } from "../../base/bounded-map";
import { sha256Hex, utf8 } from "../../base/crypto/encoding";
import type { KeyRing } from "../../base/crypto/keys";
import type { Deps } from "../../base/deps";
import { ASSERTION_ALGORITHMS } from "../../base/schemas/client-settings";
import { refusalOfKeys } from "../clients/key-set";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import type { ClientRequest } from "./client-check";

const MAX_CHARACTERS = 8 * 1024;
const MAX_ID_CHARACTERS = 256;
/** How far its clock may be from ours. */
const TOLERANCE_MS = 60_000;
const NONCE_MS = 30_000;

/** Proofs that were used, by their key and id, with the time until which they would be taken (Unix ms). */
const usedUntilMs = new BoundedMap<number>(2_000);

/** What a proof comes with. */
export interface ShownKey {
  proof: string;
  method: string;
  /** Without a query. */
  url: string;
  /** For which it is shown; missing where none is. */
  accessToken?: string;
}

/** What a proof says, if it is one. */
interface Proven {
  /** The thumbprint of the key (RFC 7638). */
  jkt: string;
  id: string;
  nonce: string | null;
  issuedAt: number;
}

const unfit = () => new OAuthError("invalid_dpop_proof", "The DPoP proof is not valid for this request.");

/** The thumbprint of the key that is shown. Throws invalid_dpop_proof, and use_dpop_nonce without a nonce of ours. */
export async function thumbprintShown(deps: Deps, shown: ShownKey): Promise<string> {
  const proven = await verifyProof(shown, deps.now());
  if (!proven) throw unfit();
  if (proven.nonce === null || !(await isNonce(deps.keys, proven.nonce, deps.now()))) {
    throw new OAuthError("use_dpop_nonce", "Use the nonce of the header DPoP-Nonce.");
  }
  return usedOnce(deps, proven);
}

/** The same at an API, which gives no nonces: null for what is no proof, or was used. */
export async function thumbprintAtApi(deps: Deps, shown: ShownKey): Promise<string | null> {
  const proven = await verifyProof(shown, deps.now());
  return proven && usedOnce(deps, proven).catch(() => null);
}

/** Throws invalid_dpop_proof for a proof that this isolate has seen. */
async function usedOnce(deps: Deps, { jkt, id, issuedAt }: Proven): Promise<string> {
  const use = await sha256Hex(`${jkt} ${id}`);
  // From here on nothing waits, so of many at once one is the first.
  if ((usedUntilMs.get(use) ?? 0) > deps.now()) throw unfit();
  usedUntilMs.set(use, issuedAt + TOLERANCE_MS);
  return jkt;
}

/** Checks all of RFC 9449 section 4.3 but nonce and reuse. Null for what is no proof for this request. */
export async function verifyProof(
  { proof, method, url, accessToken }: ShownKey,
  nowMs: number,
): Promise<Proven | null> {
  if (proof.length > MAX_CHARACTERS) return null;
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...ASSERTION_ALGORITHMS],
      typ: "dpop+jwt",
      requiredClaims: ["jti", "htm", "htu", "iat"],
      currentDate: new Date(nowMs),
    });
    const { jwk } = protectedHeader;
    if (!jwk || refusalOfKeys({ keys: [{ ...jwk }] }) !== null) return null;
    const { jti, iat = 0, nonce } = payload;
    const issuedAt = iat * 1000;
    const isFit = payload["htm"] === method && isSameUrl(payload["htu"], url) && (await isFor(payload, accessToken));
    if (!isFit || typeof jti !== "string" || jti === "" || jti.length > MAX_ID_CHARACTERS) return null;
    if (Math.abs(nowMs - issuedAt) > TOLERANCE_MS) return null;
    return {
      jkt: await calculateJwkThumbprint(jwk),
      id: jti,
      nonce: typeof nonce === "string" ? nonce : null,
      issuedAt,
    };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

/** Query and fragment do not count, and neither does how the rest is written (RFC 3986 section 6.2). */
function isSameUrl(htu: unknown, url: string): boolean {
  const named = typeof htu === "string" ? URL.parse(htu) : null;
  const { origin, pathname } = new URL(url);
  return named?.origin === origin && named.pathname === pathname;
}

async function isFor({ ath }: JWTPayload, accessToken: string | undefined): Promise<boolean> {
  if (accessToken === undefined) return true;
  const digest = await crypto.subtle.digest("SHA-256", utf8(accessToken));
  return ath === base64url.encode(new Uint8Array(digest));
}

const slotAt = (nowMs: number) => Math.floor(nowMs / NONCE_MS);
/** What has the same key begins with another word, or with an id. */
const nonceInput = (slot: number) => utf8(`dpop-nonce ${slot}`);

/** The nonce of this half minute. */
export async function newNonce({ keys, now }: Deps): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", keys[0].refresh, nonceInput(slotAt(now())));
  return base64url.encode(new Uint8Array(mac));
}

/** Whether a nonce is that of this half minute, or of the one before. */
async function isNonce(keys: KeyRing, nonce: string, nowMs: number): Promise<boolean> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(nonce)) return false;
  const mac = new Uint8Array(base64url.decode(nonce));
  for (const { refresh } of keys) {
    for (const slot of [slotAt(nowMs), slotAt(nowMs) - 1]) {
      if (await crypto.subtle.verify("HMAC", refresh, mac, nonceInput(slot))) return true;
    }
  }
  return false;
}

/** The thumbprint of the key that a client's request shows; null without a proof. Throws as `thumbprintShown`. */
export const keyOfRequest = async (
  deps: Deps,
  { dpop, endpoint }: Pick<ClientRequest, "dpop" | "endpoint">,
): Promise<string | null> =>
  dpop === undefined ? null : thumbprintShown(deps, { proof: dpop, method: "POST", url: endpoint });

/** The key to which what a client gets is bound; null for none. */
export const boundKey = ({ settings }: ClientRow, jkt: string | null): string | null =>
  settings.dpop === "off" ? null : jkt;

/** Throws invalid_dpop_proof for a client that must show a key and has not. */
export function requireKey({ settings }: ClientRow, jkt: string | null): void {
  if (settings.dpop !== "required" || jkt !== null) return;
  throw new OAuthError("invalid_dpop_proof", "This app must send a DPoP proof.");
}
