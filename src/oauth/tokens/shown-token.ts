/** An access token as it is shown to us: as whoever has it (RFC 6750), or with a proof of its key (RFC 9449). */
import type { JWTPayload } from "jose";
import type { Deps } from "../../base/deps";
import { ASSERTION_ALGORITHMS } from "../../base/schemas/client-settings";
import { OAuthError } from "../errors";
import { thumbprintShown } from "./dpop";

const SHOWN = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;

export interface ShownToken {
  token: string;
  scheme: "Bearer" | "DPoP";
  /** The proof of the key; undefined without. */
  dpop: string | undefined;
  method: string;
  /** The URL that is called, without its query. */
  url: string;
}

/** The request that shows a token. */
type Carrier = Pick<ShownToken, "dpop" | "method" | "url">;

/** The token of a request: in the header, or in the form of a POST. Null if there is none. */
export function shownToken(
  authorization: string | undefined,
  form: URLSearchParams | null,
  carrier: Carrier,
): ShownToken | null {
  const inBody = form?.get("access_token") ?? null;
  if (authorization === undefined) return inBody === null ? null : { token: inBody, scheme: "Bearer", ...carrier };
  const [, scheme = "", token = ""] = authorization.match(SHOWN) ?? [];
  return { token, scheme: scheme.toLowerCase() === "dpop" ? "DPoP" : "Bearer", ...carrier };
}

/** The key to which a token is bound; null for none. */
export function keyOfToken(claims: JWTPayload): string | null {
  const { jkt } = (claims["cnf"] ?? {}) as { jkt?: unknown };
  return typeof jkt === "string" ? jkt : null;
}

const challenge = (error: string) => ({
  "WWW-Authenticate": `DPoP error="${error}", algs="${ASSERTION_ALGORITHMS.join(" ")}"`,
});

/** Throws OAuthError (401) unless a token that is bound to a key comes with a proof of it, and any other without. */
export async function requireHolder(deps: Deps, claims: JWTPayload, shown: ShownToken): Promise<void> {
  const jkt = keyOfToken(claims);
  if (jkt === null && shown.scheme === "Bearer") return;
  const refuse = (code: OAuthError["code"], description: string) =>
    new OAuthError(code, description, 401, challenge(code));
  if (jkt === null) throw refuse("invalid_token", "The access token is bound to no key.");
  if (shown.scheme !== "DPoP" || shown.dpop === undefined) {
    throw refuse("invalid_token", "The access token is bound to a key. Show it by DPoP.");
  }
  const { dpop: proof, method, url, token: accessToken } = shown;
  const found = await thumbprintShown(deps, { proof, method, url, accessToken }).catch((error: unknown) => {
    throw error instanceof OAuthError ? refuse(error.code, error.description) : error;
  });
  if (found !== jkt) throw refuse("invalid_token", "The access token is bound to another key.");
}
