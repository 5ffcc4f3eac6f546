/** How an app proves itself: by Basic, in the body (RFC 6749 section 2.3.1), or by a key (RFC 7523). */
import { decodeJwt } from "jose";
import type { Config } from "../../base/config/config";
import { sha256Hex } from "../../base/crypto/encoding";
import { isBuiltIn } from "../clients/built-in";
import { isClientId, isClientSecret } from "../clients/keys";
import { internalId, isLongId } from "../clients/unlisted/long-id";
import { OAuthError } from "../errors";
import { isRegisteredId, isResourceSecret } from "../resources/keys";
import type { Proof } from "./store";

const BY_KEY = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const BASIC = /^Basic +([A-Za-z0-9+/]+=*)$/i;

/** The refusal of a client. One that tried Basic is told so (RFC 6749 section 5.2). */
export const invalidClient = (triedBasic: boolean): OAuthError =>
  new OAuthError(
    "invalid_client",
    "The client is unknown, or has not proven itself.",
    401,
    triedBasic ? { "WWW-Authenticate": 'Basic realm="postern"' } : {},
  );

/**
 * What a client shows; `assertion` is not checked yet. Throws OAuthError for two ways at once, and for ids and secrets
 * that cannot be ours.
 */
export async function readProof(
  config: UnlistedSettings,
  form: URLSearchParams,
  authorization: string | undefined,
): Promise<Omit<Proof, "useId"> & { triedBasic: boolean; assertion: string | null }> {
  const basic = authorization === undefined ? null : readBasic(authorization);
  const secretInBody = form.get("client_secret");
  const assertion = form.get("client_assertion");
  const ways = [basic, secretInBody, assertion].filter((way) => way !== null);
  if (ways.length > 1) throw new OAuthError("invalid_request", "Prove the client in one way only.");
  if (assertion !== null && form.get("client_assertion_type") !== BY_KEY) throw invalidClient(false);
  const publicId = basic?.clientId ?? form.get("client_id") ?? subjectOf(assertion);
  const secret = basic?.secret ?? secretInBody;
  const isOther = basic !== null && ![publicId, null].includes(form.get("client_id"));
  const isSecret = isRegisteredId(publicId) ? isResourceSecret : isClientSecret;
  const isPossible = isKnownForm(config, publicId) && (secret === null || isSecret(secret));
  if (isOther || !isPossible) throw invalidClient(basic !== null);
  const secretHash = secret === null ? null : await sha256Hex(secret);
  const clientId = await internalId(publicId);
  const longId = clientId === publicId ? {} : { longId: publicId };
  const listedOnly = config.oauthClientMetadata === "listed" ? { isListedOnly: true as const } : {};
  return { clientId, ...longId, ...listedOnly, secretHash, jkt: null, triedBasic: basic !== null, assertion };
}

/** Whether it could be the id of a client, registered or not, or of an API, which asks about tokens. */
const isKnownForm = ({ oauthRegistration, oauthClientMetadata }: UnlistedSettings, publicId: string): boolean =>
  isClientId(publicId) ||
  isBuiltIn(publicId) ||
  isRegisteredId(publicId) ||
  (oauthRegistration === "on" && isLongId(publicId)) ||
  (oauthClientMetadata !== "off" && publicId.startsWith("https://") && publicId.length <= MAX_URL);

const MAX_URL = 256;
type UnlistedSettings = Pick<Config, "oauthClientMetadata" | "oauthRegistration">;

/** Whom an assertion names, before it is checked; "" for anything else. */
function subjectOf(assertion: string | null): string {
  try {
    return assertion === null ? "" : (decodeJwt(assertion).sub ?? "");
  } catch {
    return "";
  }
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
