/** Whether a key of the connection has signed an assertion. */
import { canonicalBytes } from "./canonical";
import { type CertificateKey, keyOf } from "./certificate";
import type { AssertionSignature } from "./signature";
import type { XmlElement } from "./xml";

/** Hashes this very element, so whatever is read in it is what was signed. Throws XmlRefused. */
export async function isSignedBy(
  keys: readonly CertificateKey[],
  assertion: XmlElement,
  signature: AssertionSignature,
): Promise<boolean> {
  const { element, signedInfo, inclusive, method, value, digest } = signature;
  const signed = canonicalBytes(signedInfo, { inclusive: inclusive.signedInfo, without: null });
  const isSigned = await someVerifies(keys, method, value, signed);
  if (!isSigned) return false;
  const bytes = canonicalBytes(assertion, { inclusive: inclusive.assertion, without: element });
  const actual = new Uint8Array(await crypto.subtle.digest(digest.hash, bytes));
  return actual.length === digest.value.length && actual.every((byte, i) => byte === digest.value[i]);
}

async function someVerifies(
  keys: readonly CertificateKey[],
  { kind, hash }: AssertionSignature["method"],
  value: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = kind === "RSA" ? { name: "RSASSA-PKCS1-v1_5" } : { name: "ECDSA", hash };
  for (const key of keys) {
    if (key.kind !== kind) continue;
    if (await crypto.subtle.verify(algorithm, await keyOf(key, hash), value, signed)) return true;
  }
  return false;
}
