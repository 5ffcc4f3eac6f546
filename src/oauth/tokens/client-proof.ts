/** How an app proves itself at the token endpoint (RFC 6749 section 2.3.1): by Basic, or in the body. */
import { sha256Hex } from "../../base/crypto/encoding";
import { isClientId, isClientSecret } from "../clients/keys";
import { OAuthError } from "../errors";
import type { Proof } from "./store";

const BASIC = /^Basic +([A-Za-z0-9+/]+=*)$/i;

/** The refusal of a client. One that tried Basic is told so (RFC 6749 section 5.2). */
export const invalidClient = (triedBasic: boolean): OAuthError =>
  new OAuthError(
    "invalid_client",
    "The client is unknown, or has not proven itself.",
    401,
    triedBasic ? { "WWW-Authenticate": 'Basic realm="postern"' } : {},
  );

/** What a client shows. Throws OAuthError for two ways at once, and for ids and secrets that cannot be ours. */
export async function readProof(
  form: URLSearchParams,
  authorization: string | undefined,
): Promise<Proof & { triedBasic: boolean }> {
  const basic = authorization === undefined ? null : readBasic(authorization);
  const secretInBody = form.get("client_secret");
  if (basic && secretInBody !== null) throw new OAuthError("invalid_request", "Prove the client in one way only.");
  const clientId = basic?.clientId ?? form.get("client_id") ?? "";
  const secret = basic?.secret ?? secretInBody;
  const isOther = basic !== null && ![clientId, null].includes(form.get("client_id"));
  const isPossible = isClientId(clientId) && (secret === null || isClientSecret(secret));
  if (isOther || !isPossible) throw invalidClient(basic !== null);
  return { clientId, secretHash: secret === null ? null : await sha256Hex(secret), triedBasic: basic !== null };
}

/** Both parts are form-encoded (RFC 6749 section 2.3.1); ours need no encoding. Throws OAuthError. */
function readBasic(authorization: string): { clientId: string; secret: string } {
  const [, base64] = authorization.match(BASIC) ?? [];
  try {
    const [clientId = "", ...rest] = atob(base64 ?? "").split(":");
    if (rest.length > 0) return { clientId: decodeURIComponent(clientId), secret: decodeURIComponent(rest.join(":")) };
  } catch {
    // Refused below.
  }
  throw invalidClient(true);
}
