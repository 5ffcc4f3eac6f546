/**
 * How a sign-in with a provider can fail while the browser is navigating. The code goes to the client in a redirect.
 */
import * as oauth from "oauth4webapi";
import { ProviderUnreachable } from "./fetch";

export const FLOW_ERRORS = {
  access_denied: "You did not allow the sign-in.",
  provider_unavailable: "The provider could not be reached. Try again later.",
  invalid_response: "The provider's answer was not valid.",
  expired: "That took too long, or was started in another browser. Try again.",
  identity_taken: "That sign-in belongs to another account already.",
  too_many_identities: "An account can have at most 10 sign-ins with providers.",
  signed_out: "The session in which you wanted to add the sign-in has ended.",
  sign_on_unavailable: "There is no single sign-on at this address.",
  sign_on_refused: "Your organisation's sign-on did not let you in. Its administrators see why.",
} as const satisfies Record<string, string>;

export type FlowErrorCode = keyof typeof FLOW_ERRORS;

/**
 * A flow that ends without an identity. `reason` is for the log: it holds no text that the provider or the browser
 * chose.
 */
export class FlowError extends Error {
  override readonly name = "FlowError";

  constructor(
    readonly code: FlowErrorCode,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** Maps any failure of a provider to one of the codes. */
export function flowErrorOf(error: unknown): FlowError {
  if (error instanceof FlowError) return error;
  if (error instanceof ProviderUnreachable) return new FlowError("provider_unavailable", error.message);
  if (error instanceof oauth.AuthorizationResponseError) return refusal(error.error);
  if (error instanceof oauth.ResponseBodyError) {
    return new FlowError(error.status >= 500 ? "provider_unavailable" : "invalid_response", knownWord(error.error));
  }
  const { cause, message } = error instanceof Error ? error : { cause: null, message: "" };
  if (cause instanceof Response && cause.status >= 500) return new FlowError("provider_unavailable", `${cause.status}`);
  const isOfLibrary =
    error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError;
  return new FlowError("invalid_response", isOfLibrary ? message : "an answer that cannot be read");
}

/** RFC 6749 section 4.1.2.1. */
function refusal(error: string): FlowError {
  if (error === "access_denied") return new FlowError("access_denied", error);
  if (error === "server_error" || error === "temporarily_unavailable")
    return new FlowError("provider_unavailable", error);
  return new FlowError("invalid_response", knownWord(error));
}

/** The error codes of RFC 6749 have this form; anything else is not worth a log line. */
const knownWord = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : "an unknown error");
