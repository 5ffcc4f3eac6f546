/** A call of a provider, and what it says about its signature. */
import type { Hash } from "./signature-text";

/** A call of a provider, as it came. */
export interface InboundCall {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** The URL as the provider has it, which Twilio signs. */
  url?: string;
}

/** The signatures of a call, and what they sign. */
export interface Signed {
  hash: Hash;
  /** HMACs; one of them must be right. */
  macs: Uint8Array<ArrayBuffer>[];
  /** Signatures of a private key; one of them must be right. */
  signatures: Uint8Array<ArrayBuffer>[];
  content: Uint8Array<ArrayBuffer>;
  /** What must be the SHA-256 of the body in hex, where only this is signed and not the body. */
  bodySha256?: string;
  /** When it was signed, Unix seconds; missing where the provider does not say. */
  timestampSeconds?: number;
  toleranceSeconds: number;
}

/** A JSON Web Token, which has the SHA-256 of the body in a claim. */
export interface WebToken {
  jwt: string;
}

/** The secret itself, which some providers send in place of a signature. */
export interface Token {
  token: string;
}
