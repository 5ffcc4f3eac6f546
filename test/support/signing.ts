/** Requests signed as a service that follows Standard Webhooks signs them, with both kinds of key. */
import { toBase64, utf8 } from "../../src/base/crypto/encoding";
import { signStandard } from "../../src/base/crypto/webhook-signature";
import {
  DeliveryError,
  type PlainRequest,
  type VerificationKeys,
  type VerifyOptions,
  verifyDelivery,
} from "../../src/sdk/verify";

export const NOW_MS = 1_800_000_000_000;
const ID = "msg_1";
const BODY = '{"order":42}';

/** An Ed25519 key pair, in the forms in which its public key is handed out. */
export interface SigningKey {
  /** `whpk_...` */
  publicKey: string;
  jwk: { kty: "OKP"; crv: "Ed25519"; x: string; kid: string; use: "sig"; alg: "EdDSA" };
  /** Returns `v1a,...` over `id.seconds.body`. */
  sign: (id?: string, seconds?: number, body?: string) => Promise<string>;
}

export async function newSigningKey(): Promise<SigningKey> {
  const { publicKey, privateKey } = (await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const raw = new Uint8Array((await crypto.subtle.exportKey("raw", publicKey)) as ArrayBuffer);
  const x = toBase64(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return {
    publicKey: `whpk_${toBase64(raw)}`,
    jwk: { kty: "OKP", crv: "Ed25519", x, kid: x, use: "sig", alg: "EdDSA" },
    sign: async (id = ID, seconds = NOW_MS / 1000, body = BODY) => {
      const signature = await crypto.subtle.sign("Ed25519", privateKey, utf8(`${id}.${seconds}.${body}`));
      return `v1a,${toBase64(new Uint8Array(signature))}`;
    },
  };
}

/** Returns `v1,...` over the request that `signedWith` makes. */
export const signWithSecret = (secret: string): Promise<string> => signStandard(secret, ID, NOW_MS / 1000, BODY);

/** A request with these signatures. */
export const signedWith = (...signatures: string[]): PlainRequest => ({
  headers: {
    "webhook-id": ID,
    "webhook-timestamp": String(NOW_MS / 1000),
    "webhook-signature": signatures.join(" "),
    "x-webhook-event": "OrderPaid",
  },
  body: BODY,
});

/** "accepted", or the reason why `verifyDelivery` refuses the request. */
export async function verdictOn(
  request: Request | PlainRequest,
  keys: VerificationKeys,
  options?: VerifyOptions,
): Promise<string> {
  try {
    await verifyDelivery(request, keys, { nowMs: NOW_MS, ...options });
    return "accepted";
  } catch (error) {
    if (error instanceof DeliveryError) return error.reason;
    throw error;
  }
}
