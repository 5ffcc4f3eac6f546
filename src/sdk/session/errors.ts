/**
 * Why a token was refused. STALE_REVOCATIONS and KEYS_UNAVAILABLE say nothing about the token itself: answer 503 then.
 * SECOND_FACTOR_REQUIRED says that the user must set up a second factor first, MISSING_SCOPE that the app must ask for
 * more: answer 403. Answer 401 otherwise.
 */
export type SessionErrorReason =
  | "MALFORMED"
  | "WRONG_TYPE"
  | "WRONG_ALGORITHM"
  | "UNKNOWN_KEY"
  | "BAD_SIGNATURE"
  | "WRONG_ISSUER"
  | "WRONG_AUDIENCE"
  | "EXPIRED"
  | "NOT_YET_VALID"
  | "REVOKED"
  | "SECOND_FACTOR_REQUIRED"
  | "MISSING_SCOPE"
  | "INVALID_PROOF"
  | "STALE_REVOCATIONS"
  | "KEYS_UNAVAILABLE";

const MESSAGES: Record<SessionErrorReason, string> = {
  MALFORMED: "This is not an access token, or one that lacks a claim.",
  WRONG_TYPE: "This is a token of another kind.",
  WRONG_ALGORITHM: "The token is not signed with EdDSA, ES256 or RS256, or its key is of another algorithm.",
  UNKNOWN_KEY: "The issuer publishes no such key.",
  BAD_SIGNATURE: "The key has not made this signature.",
  WRONG_ISSUER: "Somebody else has issued the token.",
  WRONG_AUDIENCE: "The token is for somebody else.",
  EXPIRED: "The token has expired.",
  NOT_YET_VALID: "The token was issued in the future: one of the clocks is wrong.",
  REVOKED: "The session has ended, or its role has changed.",
  SECOND_FACTOR_REQUIRED: "The tenant requires a second factor, which the user has not set up or not shown.",
  MISSING_SCOPE: "The token lacks a scope.",
  INVALID_PROOF: "The token is bound to a key, and nothing proves that its sender has that key.",
  STALE_REVOCATIONS: "Whether the token was revoked is unknown: the list could not be fetched.",
  KEYS_UNAVAILABLE: "The public keys could not be fetched.",
};

const FORBIDDEN: readonly SessionErrorReason[] = ["SECOND_FACTOR_REQUIRED", "MISSING_SCOPE"];
const OF_THE_ISSUER: readonly SessionErrorReason[] = ["STALE_REVOCATIONS", "KEYS_UNAVAILABLE"];

/**
 * The token does not prove who sent it: do not act on it. `reason` is for a log, `status` for the answer.
 *
 * @example
 * try {
 *   const session = await sessions.verify(token);
 * } catch (error) {
 *   if (!(error instanceof SessionError)) throw error;
 *   return new Response(null, { status: error.status });
 * }
 */
export class SessionError extends Error {
  readonly reason: SessionErrorReason;
  /** 503 if the issuer could not be asked, 403 without the scope or the second factor that is needed, otherwise 401. */
  readonly status: 401 | 403 | 503;
  /** With MISSING_SCOPE: what the app must ask for, with what its token has already. */
  readonly scopes: readonly string[];

  constructor(reason: SessionErrorReason, options: { cause?: unknown; scopes?: readonly string[] } = {}) {
    super(MESSAGES[reason], options);
    this.name = "SessionError";
    this.reason = reason;
    this.status = OF_THE_ISSUER.includes(reason) ? 503 : FORBIDDEN.includes(reason) ? 403 : 401;
    this.scopes = options.scopes ?? [];
  }
}
