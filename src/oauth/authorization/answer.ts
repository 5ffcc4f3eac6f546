/** What an app is sent back (RFC 6749 section 4.1.2, RFC 9207): to its redirect URL, which was checked before. */
import type { OAuthError } from "../errors";

interface Sent {
  redirectUri: string;
  state: string | null;
}

/** The address to which the browser goes. `iss` names us, so that an app of several issuers cannot be mixed up. */
function addressOf({ redirectUri, state }: Sent, issuer: string, answer: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  // The URL stays as it is registered: a parser could write it in another way.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}

export const withCode = (sent: Sent, issuer: string, code: string): string => addressOf(sent, issuer, { code });

export const withError = (sent: Sent, issuer: string, { code, description }: OAuthError): string =>
  addressOf(sent, issuer, { error: code, error_description: description });
