/** An app sends somebody to sign in: from the request to the page, the error or the code that answers it. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import { isClientId } from "../clients/keys";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import { openToken } from "../open-token";
import { withCode, withError } from "./answer";
import { makeCode } from "./code";
import { decide, type SignInDecision } from "./decide";
import { type AuthorizationRequest, checkParameters, readRequest, requireRedirect } from "./request";
import { seal, unseal } from "./sealed";
import { readStanding } from "./store";

const REQUEST_LIFETIME_MS = 30 * MINUTE_MS;

/** A request as it came, and when it came first (Unix ms). */
export interface AppRequest {
  params: URLSearchParams;
  at: number;
}

/** The request between its pages: a link, and no more. */
export const sealRequest = (deps: Deps, { params, at }: AppRequest): Promise<string> =>
  seal(deps, "request", { params: params.toString(), at, expiresAt: deps.now() + REQUEST_LIFETIME_MS });

/** Throws VALIDATION_FAILED, for our own page. */
export async function openRequest(deps: Deps, sealed: string): Promise<AppRequest> {
  const opened = await unseal<{ params: string; at: number; expiresAt: number }>(deps, "request", sealed);
  if (!opened) {
    throw new AppError("VALIDATION_FAILED", { message: "This took too long. Go back to the app and sign in again." });
  }
  return { params: new URLSearchParams(opened.params), at: opened.at };
}

/** What is decided about a request, or the address of the app that is told why not. */
export type Outcome =
  | { client: ClientRow; request: AuthorizationRequest; decision: SignInDecision }
  | { client: ClientRow; refusedAt: string };

/** Throws VALIDATION_FAILED, for our own page, while the app is not known to be genuine. */
export async function judge(deps: Deps, asked: AppRequest, session: SessionPrincipal | null): Promise<Outcome> {
  const { params, at } = asked;
  checkParameters(params);
  const clientId = params.get("client_id") ?? "";
  const who = { userId: session?.userId ?? null, sessionId: session?.sessionId ?? null };
  const { client, memberships } = isClientId(clientId)
    ? await readStanding(deps, clientId, who)
    : { client: undefined, memberships: [] };
  const genuine = requireRedirect(client, params);
  try {
    const request = readRequest(params, genuine.client, genuine.redirectUri, at);
    const hinted = await hintedUser(deps, request);
    const decision = decide(deps, genuine.client, request, session && { session, memberships }, hinted);
    return { client: genuine.client, request, decision };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    log("info", "authorize refused", { clientId, reason: error.code });
    const sent = { redirectUri: genuine.redirectUri, state: params.get("state") };
    return { client: genuine.client, refusedAt: withError(sent, deps.config.tokenIssuer, error) };
  }
}

/** Whose ID token the app shows; null for one that is not ours, which counts as somebody else's. */
async function hintedUser(deps: Deps, { idTokenHint }: AuthorizationRequest): Promise<string | null | undefined> {
  if (idTokenHint === null) return undefined;
  const claims = await openToken(deps, idTokenHint, { typ: "JWT", isExpiredToo: true });
  return claims?.sub ?? null;
}

/** The address of the app with its code. */
export async function addressWithCode(
  deps: Deps,
  request: AuthorizationRequest,
  { sessionId }: SessionPrincipal,
  tenantId: string,
): Promise<string> {
  return withCode(request, deps.config.tokenIssuer, await makeCode(deps, request, { sessionId, tenantId }));
}
