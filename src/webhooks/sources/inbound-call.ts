/** A call of a provider, and what it says about its signature. */
import type { Hash } from "./signature-text";

/** A call of a provider, as it came. */
export interface InboundCall {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

/** The signatures of a call, and what they sign. */
export interface Signed {
  hash: Hash;
  /** HMACs; one of them must be right. */
  macs: Uint8Array<ArrayBuffer>[];
  /** Ed25519 signatures, of the provider `standard`. */
  ed25519: Uint8Array<ArrayBuffer>[];
  content: Uint8Array<ArrayBuffer>;
  /** When it was signed, Unix seconds; missing where the provider does not say. */
  timestampSeconds?: number;
  toleranceSeconds: number;
}

/** The secret itself, which some providers send in place of a signature. */
export interface Token {
  token: string;
}
