/** ECDSA signatures on P-256. WebCrypto takes r and s of 32 bytes each; others write ASN.1 DER (RFC 3279 2.2.3). */
const P256_BYTES = 32;

/** The signature for WebCrypto; null if it is malformed. */
export function rawSignature(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const [tag, length] = der;
  if (tag !== 0x30 || length !== der.length - 2) return null;
  const r = readInteger(der, 2);
  const s = r && readInteger(der, r.end);
  if (!r || !s || s.end !== der.length) return null;
  const raw = new Uint8Array(2 * P256_BYTES);
  raw.set(r.digits, P256_BYTES - r.digits.length);
  raw.set(s.digits, 2 * P256_BYTES - s.digits.length);
  return raw;
}

function readInteger(der: Uint8Array<ArrayBuffer>, at: number) {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== 0x02 || length === 0 || end > der.length) return null;
  const start = der[at + 2] === 0 ? at + 3 : at + 2;
  return end - start > P256_BYTES ? null : { digits: der.subarray(start, end), end };
}
