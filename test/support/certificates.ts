/** Self-signed certificates (X.509, RFC 5280) of keys made for a test. */
import { toBase64 } from "../../src/base/crypto/encoding";

const bytesOf = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** One DER value: its tag, the length of the content, the content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return new Uint8Array([tag, ...(length < 128 ? [length] : long), ...parts.flatMap((part) => [...part])]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const time = (ms: number) =>
  der(0x18, new TextEncoder().encode(`${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, "")}Z`));
const ECDSA_SHA256 = sequence(der(0x06, bytesOf("2a8648ce3d040302")));
const name = (of: string) =>
  sequence(der(0x31, sequence(der(0x06, bytesOf("550403")), der(0x0c, new TextEncoder().encode(of)))));

/** ECDSA's two numbers as DER; WebCrypto returns them one after the other. */
function signatureOf(raw: Uint8Array): Uint8Array {
  const number = (part: Uint8Array) => {
    const first = part.findIndex((byte) => byte !== 0);
    const rest = part.slice(first);
    return der(0x02, (rest[0] ?? 0) > 127 ? new Uint8Array([0, ...rest]) : rest);
  };
  return sequence(number(raw.slice(0, 32)), number(raw.slice(32)));
}

export interface Certified {
  privateKey: CryptoKey;
  /** The certificate (DER) in base64. */
  certificate: string;
}

/** A key of P-256 with a certificate that ends then, Unix ms. */
export async function newCertificate(notAfterMs = Date.now() + 400 * 86_400_000): Promise<Certified> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const spki = new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer);
  const serial = crypto
    .getRandomValues(new Uint8Array(8))
    .map((byte, index) => (index === 0 ? (byte & 63) | 64 : byte));
  const validity = sequence(time(Date.now() - 86_400_000), time(notAfterMs));
  const version = der(0xa0, der(0x02, new Uint8Array([2])));
  const signed = sequence(version, der(0x02, serial), ECDSA_SHA256, name("idp"), validity, name("idp"), spki);
  const raw = new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, signed));
  const certificate = sequence(signed, ECDSA_SHA256, der(0x03, new Uint8Array([0]), signatureOf(raw)));
  return { privateKey: pair.privateKey, certificate: toBase64(certificate) };
}
