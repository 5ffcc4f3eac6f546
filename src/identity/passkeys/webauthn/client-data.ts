/** What the browser says about a ceremony: the client data (WebAuthn section 5.8.1), which the authenticator signs. */
import { base64url } from "jose";
import { ensure, Refusal } from "./refusal";

/** Decodes base64url. Throws a Refusal for anything else. */
export function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(base64url.decode(text));
  } catch {
    throw new Refusal("not base64url");
  }
}

interface Expected {
  type: "webauthn.create" | "webauthn.get";
  /** Base64url. */
  challenge: string;
  origins: readonly string[];
}

/**
 * Returns the bytes of the client data, whose hash is signed. Throws a Refusal unless the client data is as expected.
 */
export function checkClientData(clientDataJson: string, expected: Expected): Uint8Array<ArrayBuffer> {
  const bytes = decoded(clientDataJson);
  const { type, challenge, origin, crossOrigin } = parse(bytes);
  ensure(type === expected.type, "another type of ceremony");
  ensure(challenge === expected.challenge, "another challenge");
  ensure(
    expected.origins.some((allowed) => allowed === origin),
    "an origin that is not allowed",
  );
  // Another site's page may show ours in a frame, where people do not see whom they sign in to.
  ensure(crossOrigin === undefined || crossOrigin === false, "a page in a frame of another origin");
  return bytes;
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof data === "object" && data !== null) return data as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new Refusal("malformed client data");
}
