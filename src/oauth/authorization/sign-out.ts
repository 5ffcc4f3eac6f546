/**
 * An app signs a person out (OpenID Connect RP-Initiated Logout 1.0). Nobody is signed out or sent anywhere by a mere
 * link: without a good ID token, our page asks first, and leads back by a link at most.
 */
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { isClientId } from "../clients/keys";
import { type ClientRow, findClient } from "../clients/store";
import { openToken } from "../open-token";
import { checkParameters } from "./request";

/** What is done about a request: at once, or after the person has agreed. */
export interface SignOut {
  /** Whether the session ends without a question. */
  isAtOnce: boolean;
  /** The app, if it is known. */
  client: ClientRow | undefined;
  /** Its registered URL with `state`, to which the browser may go afterwards; null: none. */
  returnTo: string | null;
  /** Whether the request names a URL to which nobody is sent. */
  isRefused: boolean;
}

/** Throws VALIDATION_FAILED for what is too long or names a parameter twice. */
export async function judgeSignOut(
  deps: Deps,
  params: URLSearchParams,
  session: SessionPrincipal | null,
): Promise<SignOut> {
  checkParameters(params);
  const hint = await readHint(deps, params);
  const clientId = hint?.clientId ?? params.get("client_id") ?? "";
  const client = isClientId(clientId) ? await findClient(deps, clientId) : undefined;
  const known = client?.enabled === true ? client : undefined;
  const url = params.get("post_logout_redirect_uri");
  const isGood = url !== null && known !== undefined && known.settings.postLogoutUrls.includes(url);
  const returnTo = isGood ? withState(url, params.get("state")) : null;
  const isRefused = url !== null && !isGood;
  const isOwn = hint !== null && (session === null || session.userId === hint.userId);
  return { isAtOnce: isOwn && !isRefused, client: known, returnTo, isRefused };
}

interface Hint {
  clientId: string;
  userId: string;
}

/** Null without an ID token of ours for the client that the request names. One that has expired counts too. */
async function readHint(deps: Deps, params: URLSearchParams): Promise<Hint | null> {
  const claims = await openToken(deps, params.get("id_token_hint") ?? "", { typ: "JWT", isExpiredToo: true });
  const { aud, sub } = claims ?? {};
  if (typeof aud !== "string" || typeof sub !== "string") return null;
  return [null, aud].includes(params.get("client_id")) ? { clientId: aud, userId: sub } : null;
}

/** The URL stays as it is registered: a parser could write it in another way. */
const withState = (url: string, state: string | null): string =>
  state === null ? url : `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams({ state })}`;
