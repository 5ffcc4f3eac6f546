/**
 * The certificate with which a provider signs (RFC 5280). Only its key counts: who has issued it, for what and until
 * when makes no signature better, so that a forgotten certificate does not end everybody's sign-on.
 */
import { toBase64 } from "../../base/crypto/encoding";
import { strictBase64 } from "./base64";
import { BIT_STRING, type DerValue, derTime, derValues, INTEGER, insideOf, OBJECT_IDENTIFIER, SEQUENCE } from "./der";

export interface CertificateKey {
  kind: "RSA" | "P-256";
  /** SubjectPublicKeyInfo in DER. */
  spki: Uint8Array<ArrayBuffer>;
}

export interface Certificate {
  /** DER in base64, in one line. */
  der: string;
  notAfterMs: number;
  key: CertificateKey;
}

/** The message says what to enter instead. */
export class CertificateRefused extends Error {
  override readonly name = "CertificateRefused";
}

const MAX_CHARACTERS = 16 * 1024;
const PEM = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----$/;
const [MIN_RSA_BITS, MAX_RSA_BITS] = [2048, 8192];
/** The algorithms of keys, and the curve, by their identifiers in DER. */
const [RSA, EC, P256] = ["KoZIhvcNAQEB", "KoZIzj0CAQ==", "KoZIzj0DAQc="];
const [VERSION_TAG, TBS_AFTER_VERSION] = [0xa0, { validity: 3, key: 5 }];

/** Reads a certificate in PEM, or in the base64 of its DER. Throws CertificateRefused. */
export async function readCertificate(pemOrBase64: string): Promise<Certificate> {
  if (pemOrBase64.length > MAX_CHARACTERS) throw new CertificateRefused("The certificate is longer than 16 KiB.");
  const text = pemOrBase64.trim();
  const der = strictBase64(PEM.exec(text)?.[1] ?? text);
  if (der === null) throw new CertificateRefused("Enter the certificate in PEM, or in base64.");
  const read = partsOf(der);
  if (!(await isUsable(read.key))) throw new CertificateRefused("The key of the certificate cannot be used.");
  return { der: toBase64(der), ...read };
}

/** The key for a way to sign, of a certificate that `readCertificate` takes. `hash` counts for RSA alone. */
export const keyOf = ({ kind, spki }: CertificateKey, hash: "SHA-256" | "SHA-512"): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "spki",
    spki,
    kind === "RSA" ? { name: "RSASSA-PKCS1-v1_5", hash } : { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["verify"],
  );

function partsOf(der: Uint8Array<ArrayBuffer>): Omit<Certificate, "der"> {
  try {
    const [whole, ...more] = derValues(der, 0, der.length);
    const [tbs] = whole?.tag === SEQUENCE && more.length === 0 ? insideOf(der, whole) : [];
    const fields = tbs?.tag === SEQUENCE ? insideOf(der, tbs) : [];
    const from = fields[0]?.tag === VERSION_TAG ? 1 : 0;
    const [, notAfter] = insideOf(der, present(fields[from + TBS_AFTER_VERSION.validity]));
    const key = keyIn(der, present(fields[from + TBS_AFTER_VERSION.key]));
    return { notAfterMs: derTime(der, present(notAfter)), key };
  } catch (error) {
    if (error instanceof RangeError) throw new CertificateRefused("This is no X.509 certificate.");
    throw error;
  }
}

function present(value: DerValue | undefined): DerValue {
  if (value === undefined) throw new RangeError("a part is missing");
  return value;
}

function keyIn(der: Uint8Array<ArrayBuffer>, info: DerValue): CertificateKey {
  const [algorithm, bits] = insideOf(der, info);
  if (bits?.tag !== BIT_STRING) throw new RangeError("no key");
  const [name, curve] = insideOf(der, present(algorithm)).map((one) => identifierOf(der, one));
  const spki = der.slice(info.start, info.end);
  if (name === RSA) {
    const length = rsaBits(der, bits);
    if (length < MIN_RSA_BITS || length > MAX_RSA_BITS) {
      throw new CertificateRefused(`The certificate's RSA key has ${length} bits, and 2,048 to 8,192 are taken.`);
    }
    return { kind: "RSA", spki };
  }
  if (name === EC && curve === P256) return { kind: "P-256", spki };
  throw new CertificateRefused("The certificate's key is neither RSA nor of the curve P-256.");
}

const identifierOf = (der: Uint8Array, { tag, contents, end }: DerValue): string | null =>
  tag === OBJECT_IDENTIFIER ? toBase64(der.subarray(contents, end)) : null;

/** How long the modulus is. A bit string begins with the number of bits that it leaves out. */
function rsaBits(der: Uint8Array, { contents, end }: DerValue): number {
  const [pair] = derValues(der, contents + 1, end);
  const [modulus] = insideOf(der, present(pair));
  if (modulus?.tag !== INTEGER) throw new RangeError("no modulus");
  const digits = der.subarray(modulus.contents, modulus.end);
  const first = digits.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : 8 * (digits.length - first) - Math.clz32(digits[first] ?? 0) + 24;
}

async function isUsable(key: CertificateKey): Promise<boolean> {
  try {
    await keyOf(key, "SHA-256");
    return true;
  } catch {
    return false;
  }
}
