/** An app sends somebody to sign in: from the request to the page, the error or the code that answers it. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import type { ClientRow } from "../clients/store";
import { resolveClient } from "../clients/unlisted/resolve";
import { OAuthError } from "../errors";
import { openToken } from "../open-token";
import { askedIdentifiers } from "../resources/asked";
import { withOurApi } from "../resources/our-api";
import { type AppAnswer, withCode, withError } from "./answer";
import { makeCode } from "./code";
import { decide, type SignInDecision } from "./decide";
import {
  type AppRequest,
  type AuthorizationRequest,
  checkParameters,
  readMode,
  readRequest,
  requireClient,
  requireRedirect,
} from "./request";
import { seal, unseal } from "./sealed";
import type { ClientStanding, WantedClient } from "./store";

const REQUEST_LIFETIME_MS = 30 * MINUTE_MS;

/** A request as text, to be sealed. */
export interface KeptRequest extends Omit<AppRequest, "params"> {
  params: string;
}

export const keptRequest = ({ params, ...rest }: AppRequest): KeptRequest => ({ ...rest, params: params.toString() });

/** The request between its pages: a link, and no more. */
export const sealRequest = (deps: Deps, asked: AppRequest): Promise<string> =>
  seal(deps, "request", { ...keptRequest(asked), expiresAt: deps.now() + REQUEST_LIFETIME_MS });

/** Throws VALIDATION_FAILED, for our own page. */
export async function openRequest(deps: Deps, sealed: string): Promise<AppRequest> {
  const opened = await unseal<KeptRequest & { expiresAt: number }>(deps, "request", sealed);
  if (!opened) {
    throw new AppError("VALIDATION_FAILED", { message: "This took too long. Go back to the app and sign in again." });
  }
  const { expiresAt: _, params, ...rest } = opened;
  return { ...rest, params: new URLSearchParams(params) };
}

/** What is decided about a request, or how the app is told why not. */
export type Outcome =
  | { client: ClientRow; request: AuthorizationRequest; decision: SignInDecision }
  | { client: ClientRow; refusal: AppAnswer };

/** Who asks, and what is known of the client and of them. */
export interface Visit extends ClientStanding {
  session: SessionPrincipal | null;
}

/** Throws VALIDATION_FAILED, for our own page, while the app is not known to be genuine. `visit` reads D1. */
export async function judge(
  deps: Deps,
  asked: AppRequest,
  clientIp: string,
  visit: (wanted: WantedClient) => Promise<Visit>,
): Promise<Outcome> {
  const { params } = asked;
  checkParameters(params);
  const clientId = params.get("client_id") ?? "";
  const named = await resolveClient(deps, clientId, clientIp);
  const nobody = { client: undefined, memberships: [], resources: [], session: null };
  const standing = named ? await visit({ clientId: named.id, identifiers: identifiersIn(deps, params) }) : nobody;
  const { memberships, session, resources } = standing;
  // Operators may have taken it from their list since its document was read.
  const isListedOnly = deps.config.oauthClientMetadata === "listed" && named?.unlisted?.kind === "metadata";
  const isUnknown = isListedOnly && standing.client?.kind !== "listed";
  const client = isUnknown ? undefined : (named?.unlisted ?? standing.client);
  const { device } = asked;
  const genuine = device ? requireClient(client) : requireRedirect(client, params);
  try {
    const request = readRequest(params, genuine.client, genuine.redirectUri, asked, withOurApi(deps, resources));
    const hinted = await hintedUser(deps, request);
    const decision = decide(deps, genuine.client, request, session && { session, memberships }, hinted);
    return { client: genuine.client, request, decision };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    log("info", "authorize refused", { clientId: genuine.client.id, reason: error.code });
    const { redirectUri } = genuine;
    const sent = { redirectUri, device, responseMode: readMode(params), state: params.get("state") };
    return { client: genuine.client, refusal: withError(sent, deps.config.tokenIssuer, error) };
  }
}

/** What D1 is asked for the APIs that a request names. */
const identifiersIn = (deps: Deps, params: URLSearchParams): string[] =>
  askedIdentifiers(deps, params.getAll("resource"));

/** Whose ID token the app shows; null for one that is not ours, which counts as somebody else's. */
async function hintedUser(deps: Deps, { idTokenHint }: AuthorizationRequest): Promise<string | null | undefined> {
  if (idTokenHint === null) return undefined;
  const claims = await openToken(deps, idTokenHint, { typ: "JWT", isExpiredToo: true });
  return claims?.sub ?? null;
}

/** The answer with a code. */
export async function answerWithCode(
  deps: Deps,
  request: AuthorizationRequest,
  { sessionId }: SessionPrincipal,
  tenantId: string,
): Promise<AppAnswer> {
  return withCode(request, deps.config.tokenIssuer, await makeCode(deps, request, { sessionId, tenantId }));
}
