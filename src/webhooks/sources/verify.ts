/** Whether a call is genuine. */
import { randomBytes, sha256OfBytes, utf8 } from "../../base/crypto/encoding";
import type { InboundCall, Signed, Token } from "./inbound-call";
import type { SourceOptions } from "./option-schemas";
import type { SourceProvider } from "./schemas";
import { imported, keyOf, type VerifyingKey } from "./secrets";
import { signedBy } from "./signed";
import { refusalOfToken } from "./web-token";

interface Verifier {
  provider: SourceProvider;
  options: SourceOptions;
  secrets: readonly string[];
}

/** Returns why a call is refused, or null for a genuine one. Any of the secrets may have signed it. */
export async function refusalOf(
  { provider, options, secrets }: Verifier,
  call: InboundCall,
  nowMs: number,
): Promise<"signature" | "timestamp" | null> {
  const signed = signedBy(provider, options, call);
  if (signed && ("token" in signed || "jwt" in signed)) {
    await verifyNothing(call.body);
    if ("jwt" in signed) return refusalOfToken(signed, { options, secrets }, call.body, nowMs);
    return (await isAmongSecrets(signed, secrets)) ? null : "signature";
  }
  if (!signed || signed.macs.length + signed.signatures.length === 0) {
    await verifyNothing(call.body);
    return "signature";
  }
  const keys = secrets.map((secret) => keyOf(provider, options, secret));
  const right = await Promise.all(keys.map((key) => isSignedWith(key, signed)));
  if (!right.includes(true)) return "signature";
  const { bodySha256, timestampSeconds, toleranceSeconds } = signed;
  if (bodySha256 !== undefined && bodySha256 !== (await sha256OfBytes(call.body))) return "signature";
  if (timestampSeconds === undefined) return null;
  return Math.abs(Math.floor(nowMs / 1000) - timestampSeconds) > toleranceSeconds ? "timestamp" : null;
}

/** Takes as long as a verification, for a call that cannot be genuine. */
export async function verifyNothing(body: Uint8Array<ArrayBuffer>): Promise<void> {
  const macs = [new Uint8Array(32)];
  const nothing: Signed = { hash: "SHA-256", macs, signatures: [], content: body, toleranceSeconds: 0 };
  await isSignedWith({ kind: "hmac", bytes: randomBytes(32) }, nothing);
}

const VERIFY = {
  hmac: "HMAC",
  ed25519: "Ed25519",
  ecdsa: { name: "ECDSA", hash: "SHA-256" },
  rsa: "RSASSA-PKCS1-v1_5",
};

/** Compares in constant time. */
async function isSignedWith(key: VerifyingKey, { hash, macs, signatures, content }: Signed): Promise<boolean> {
  const { kind, bytes } = key;
  const given = kind === "hmac" ? macs : signatures;
  if (kind === "hmac" && given.length > 1) return isAmong(given, await macOf(bytes, hash, content));
  const usable = await imported(key, hash);
  const right = await Promise.all(given.map((one) => crypto.subtle.verify(VERIFY[kind], usable, one, content)));
  return right.includes(true);
}

/** Compares HMACs under a random key, which tell nothing about the texts, nor how long they are. */
async function isAmongSecrets({ token }: Token, secrets: readonly string[]): Promise<boolean> {
  const random = randomBytes(32);
  const [given, ...right] = await Promise.all([token, ...secrets].map((text) => macOf(random, "SHA-256", utf8(text))));
  return given !== undefined && isAmong(right, given);
}

/** A list of signatures costs one HMAC of the body, however long it is. */
async function macOf(bytes: VerifyingKey["bytes"], hash: Signed["hash"], content: Signed["content"]) {
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
}

const isAmong = (given: Signed["macs"], right: Uint8Array<ArrayBuffer>): boolean =>
  given.map((one) => one.length === right.length && crypto.subtle.timingSafeEqual(one, right)).includes(true);
