/** A device that asks for a sign-in, without a browser of its own (RFC 8628), and the codes by which it is known. */
import { base64url } from "jose";
import { randomBytes, utf8 } from "../../base/crypto/encoding";
import type { KeyRing } from "../../base/crypto/keys";

/** Letters that nobody takes for others, without vowels, so that no words come about (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE = new RegExp(`^[${LETTERS}]{8}$`);
/** Bytes from here on are discarded: they would make some letters likelier than others. */
const FAIR_BYTES = 256 - (256 % LETTERS.length);
const DEVICE_CODE = new RegExp(`^pod_([${LETTERS}]{8})\\.([A-Za-z0-9_-]{22})\\.([A-Za-z0-9_-]{43})$`);

/** What the person is shown of it. */
export interface AskingDevice {
  userCode: string;
  /** Of the request: another one can have the same code later. */
  id: string;
  /** The program that asks, such as "Chrome on macOS", and where its address is. */
  kind: string;
  place: string;
  /** Unix ms. */
  expiresAt: number;
}

export function newUserCode(): string {
  let code = "";
  while (code.length < 8) {
    const [byte = 255] = randomBytes(1);
    if (byte < FAIR_BYTES) code += LETTERS.charAt(byte % LETTERS.length);
  }
  return code;
}

/** A code as somebody has typed it, with small letters and signs; null for what cannot be one. */
export function readUserCode(typed: string): string | null {
  const code = typed
    .slice(0, 40)
    .toUpperCase()
    .replace(/[^A-Z]/g, "");
  return USER_CODE.test(code) ? code : null;
}

/** As people read it: in two groups. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const newRequestId = (): string => base64url.encode(randomBytes(16));

interface DeviceClaims {
  clientId: string;
  userCode: string;
  id: string;
}

/** `pod_<user code>.<request>.<HMAC-SHA256>`: a forged one, and one of another client, reaches nothing. */
export async function makeDeviceCode(keys: KeyRing, claims: DeviceClaims): Promise<string> {
  const mac = await crypto.subtle.sign("HMAC", keys[0].refresh, macInput(claims));
  return `pod_${claims.userCode}.${claims.id}.${base64url.encode(new Uint8Array(mac))}`;
}

/** Null for anything but a code that was made for this client. */
export async function readDeviceCode(keys: KeyRing, clientId: string, text: string): Promise<DeviceClaims | null> {
  const [, userCode, id, mac] = text.match(DEVICE_CODE) ?? [];
  if (!userCode || !id || !mac) return null;
  const claims = { clientId, userCode, id };
  const bytes = new Uint8Array(base64url.decode(mac));
  for (const key of keys) {
    if (await crypto.subtle.verify("HMAC", key.refresh, bytes, macInput(claims))) return claims;
  }
  return null;
}

/** What has the same key begins with another word, or with an id. */
const macInput = ({ clientId, userCode, id }: DeviceClaims) => utf8(`device ${clientId} ${userCode} ${id}`);
