/** What an app is sent back (RFC 6749 section 4.1.2, RFC 9207): to its redirect URL, which was checked before. */
import type { AskingDevice } from "../devices/device";
import type { OAuthError } from "../errors";

/** How an app wants its answer: in the address, or in a form that the browser sends. */
export const RESPONSE_MODES = ["query", "form_post"] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Where an answer goes. */
export interface AnswerTarget {
  /** Empty for a device, which asks for its answer. */
  redirectUri: string;
  /** Missing for an app that has sent the browser. */
  device?: AskingDevice | undefined;
  responseMode: ResponseMode;
  state: string | null;
}

export interface AppAnswer extends Pick<AnswerTarget, "redirectUri" | "device" | "responseMode"> {
  fields: Readonly<Record<string, string>>;
}

/** `iss` names us, so that an app of several issuers cannot be mixed up. */
const answerOf = (
  { redirectUri, device, responseMode, state }: AnswerTarget,
  issuer: string,
  said: AppAnswer["fields"],
): AppAnswer => ({
  redirectUri,
  device,
  responseMode,
  fields: { ...said, ...(state === null ? {} : { state }), iss: issuer },
});

export const withCode = (sent: AnswerTarget, issuer: string, code: string): AppAnswer =>
  answerOf(sent, issuer, { code });

export const withError = (sent: AnswerTarget, issuer: string, { code, description }: OAuthError): AppAnswer =>
  answerOf(sent, issuer, { error: code, error_description: description });

/** The address to which the browser goes with an answer that is in it. */
export function addressOf({ redirectUri, fields }: AppAnswer): string {
  // The URL stays as it is registered: a parser could write it in another way.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${new URLSearchParams(fields)}`;
}
