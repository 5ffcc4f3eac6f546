/** What an app asks for when it sends somebody to sign in (RFC 6749 section 4.1.1, OpenID Connect Core 3.1.2.1). */
import { AppError } from "../../base/errors";
import { SIGN_IN_SCOPES, type SignInScope } from "../../base/schemas/client-settings";
import { isRegistered } from "../clients/redirect-urls";
import type { ClientRow } from "../clients/store";
import { shownAt } from "../clients/unlisted/registration";
import type { AskingDevice } from "../devices/device";
import { OAuthError } from "../errors";
import { resourcesAsked } from "../resources/asked";
import type { ResourceRow } from "../resources/store";
import { preferredAcr } from "./acr";
import { type AnswerTarget, RESPONSE_MODES, type ResponseMode } from "./answer";

const MAX_BYTES = 8 * 1024;
const [MAX_STATE, MAX_NONCE, MAX_HINT] = [2048, 512, 4096];
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const PROMPTS = ["none", "login", "consent", "select_account", "create"] as const;
export type Prompt = (typeof PROMPTS)[number];

export interface AuthorizationRequest extends AnswerTarget {
  clientId: string;
  /** See `granted-scopes.ts`. */
  scopes: readonly string[];
  /** The APIs at which it asks for scopes. */
  resources: readonly ResourceRow[];
  nonce: string | null;
  /** The challenge of PKCE; null without. */
  challenge: string | null;
  prompts: readonly Prompt[];
  /** How long ago the person may have signed in, in seconds; null: however long. */
  maxAge: number | null;
  loginHint: string;
  idTokenHint: string | null;
  /** How the person should have signed in, as the app says it; null: in any way. */
  acr: string | null;
  /** The tenant that the app names; null: none. */
  tenant: string | null;
  /** The tenant that the person has chosen on our page; null: none yet. */
  tenantId: string | null;
  /** The session whose person has chosen to go on with it; null: none yet. */
  stayedIn: string | null;
  /** The thumbprint of the key to which the code is bound (RFC 9449 section 10); null: none. */
  jkt: string | null;
  /** When the app asked first; Unix ms. */
  at: number;
}

/** A request as it came, when it came first (Unix ms), and what the person has chosen since. */
export interface AppRequest {
  params: URLSearchParams;
  at: number;
  tenantId?: string | undefined;
  stayedIn?: string | undefined;
  /** Whether the app has pushed it (RFC 9126), and the thumbprint of the key that it has shown with it. */
  isPushed?: true | undefined;
  jkt?: string | undefined;
  /** The device that asks (RFC 8628); missing for an app that has sent the browser. */
  device?: AskingDevice | undefined;
}

/** The page that says what is wrong, where nothing may be sent anywhere. */
const unfit = (message: string) => new AppError("VALIDATION_FAILED", { message });

/** Throws VALIDATION_FAILED, for our own page, for what is too long or names a parameter twice. */
export function checkParameters(params: URLSearchParams): void {
  if (params.toString().length > MAX_BYTES) throw unfit("The app has sent too much. Go back to it and try again.");
  // An app may name several resources (RFC 8707 section 2).
  const names = [...params.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) throw unfit("The app has sent something twice. Go back and try again.");
}

/**
 * The client's redirect URL that the request names. Throws VALIDATION_FAILED, for our own page, and alike for a client
 * that is unknown or disabled and for a URL that is not registered: an attacker could have made the request.
 */
export function requireRedirect(
  client: ClientRow | undefined,
  params: URLSearchParams,
): { client: ClientRow; redirectUri: string } {
  const redirectUri = params.get("redirect_uri") ?? "";
  const { kind, type, enabled, settings } = client ?? {};
  // The URLs of a registration were judged when it was made; some have schemes that no other client may have.
  const isListed = kind === "registration" && settings?.redirectUrls.includes(redirectUri) === true;
  const isGood =
    enabled === true && (isListed || isRegistered(redirectUri, settings?.redirectUrls ?? [], type ?? "web"));
  if (!client || !isGood) throw unknownApp();
  return { client: shownAt(client, redirectUri), redirectUri };
}

const unknownApp = () => unfit("This link is not from an app that is registered here. Nobody was signed in.");

/** As `requireRedirect`, for a device, to which nobody is redirected. */
export function requireClient(client: ClientRow | undefined): { client: ClientRow; redirectUri: string } {
  if (!client?.enabled) throw unknownApp();
  return { client, redirectUri: "" };
}

/** Throws OAuthError, which goes to the app. */
export function readRequest(
  params: URLSearchParams,
  client: ClientRow,
  redirectUri: string,
  { at, tenantId, stayedIn, isPushed, jkt, device }: Omit<AppRequest, "params">,
  known: readonly ResourceRow[],
): AuthorizationRequest {
  const grant = device ? "device_code" : "authorization_code";
  if (!client.settings.grants.includes(grant)) throw notItsGrant();
  if (!device) refuseUnsupported(params);
  if (client.settings.pushedOnly && !device && !isPushed) throw invalidRequest("This app must push its requests.");
  const challenge = device ? null : readChallenge(params, client);
  const { scopes, resources } = readScopes(params, client, known);
  return {
    clientId: client.id,
    redirectUri,
    responseMode: readMode(params),
    scopes,
    resources,
    state: bounded(params, "state", MAX_STATE),
    nonce: bounded(params, "nonce", MAX_NONCE),
    challenge,
    prompts: readPrompts(params),
    maxAge: readMaxAge(params),
    loginHint: bounded(params, "login_hint", MAX_NONCE) ?? "",
    idTokenHint: bounded(params, "id_token_hint", MAX_HINT),
    acr: preferredAcr(bounded(params, "acr_values", MAX_NONCE) ?? ""),
    tenant: bounded(params, "tenant", MAX_NONCE),
    tenantId: tenantId ?? null,
    stayedIn: stayedIn ?? null,
    device,
    jkt: readKey(params, client, jkt),
    at,
  };
}

/** The refusal of what the settings of the client do not have. */
export const notItsGrant = () => new OAuthError("unauthorized_client", "This app may not ask in this way.");

/** The key that the app names, and has shown if it has pushed the request. */
function readKey(params: URLSearchParams, { settings }: ClientRow, shown: string | undefined): string | null {
  const named = params.get("dpop_jkt");
  if (settings.dpop === "off") return null;
  if (named !== null && !CHALLENGE.test(named)) throw invalidRequest("dpop_jkt must be the thumbprint of a key.");
  if (named !== null && ![undefined, named].includes(shown)) throw invalidRequest("dpop_jkt names another key.");
  return named ?? shown ?? null;
}

const invalidRequest = (description: string) => new OAuthError("invalid_request", description);

function refuseUnsupported(params: URLSearchParams): void {
  for (const name of ["request", "request_uri", "registration"] as const) {
    if (params.has(name)) throw new OAuthError(`${name}_not_supported`, `${name} is not supported.`);
  }
  const type = params.get("response_type");
  if (type === null) throw invalidRequest("response_type is missing.");
  if (type !== "code") throw new OAuthError("unsupported_response_type", "Only response_type=code is supported.");
  const mode = params.get("response_mode");
  if (mode !== null && !isMode(mode)) throw invalidRequest("response_mode must be query or form_post.");
}

const isMode = (text: string): text is ResponseMode => RESPONSE_MODES.some((mode) => mode === text);

/** Where the answer goes, for a request that may be refused for anything else. */
export function readMode(params: URLSearchParams): ResponseMode {
  const mode = params.get("response_mode") ?? "query";
  return isMode(mode) ? mode : "query";
}

function readChallenge(params: URLSearchParams, { settings }: ClientRow): string | null {
  const challenge = params.get("code_challenge");
  if (challenge === null) {
    if (settings.pkce === "optional" && !params.has("code_challenge_method")) return null;
    throw invalidRequest("code_challenge is missing: this app must use PKCE.");
  }
  const isGood = CHALLENGE.test(challenge) && params.get("code_challenge_method") === "S256";
  if (!isGood) throw invalidRequest("code_challenge must be that of code_challenge_method=S256.");
  return challenge;
}

function readScopes(
  params: URLSearchParams,
  client: ClientRow,
  known: readonly ResourceRow[],
): Pick<AuthorizationRequest, "scopes" | "resources"> {
  const { settings } = client;
  const named = (params.get("scope") ?? "").split(" ").filter(Boolean);
  const asked = named.filter((scope) => !SIGN_IN_SCOPES.some((one) => one === scope));
  const asking = { named: params.getAll("resource"), asked, isBare: named.length === 0 };
  const at = resourcesAsked(client, asking, known);
  const isAtResources = at.scopes.length > 0;
  const staysConnected = (scope: SignInScope) =>
    scope === "offline_access" && settings.grants.includes("refresh_token");
  const isOpen = (scope: SignInScope) =>
    settings.scopes.includes(scope) && (scope !== "offline_access" || staysConnected(scope));
  // An app that knows OAuth alone need not know how OpenID Connect calls this.
  const isMeant = (scope: SignInScope) =>
    named.includes(scope) || (isAtResources && !named.includes("openid") && staysConnected(scope));
  const signIn = SIGN_IN_SCOPES.filter((scope) => isMeant(scope) && isOpen(scope));
  if (!signIn.includes("openid") && !isAtResources) throw new OAuthError("invalid_scope", "scope must have openid.");
  return { scopes: [...signIn, ...at.scopes], resources: at.resources };
}

function bounded(params: URLSearchParams, name: string, maxCharacters: number): string | null {
  const value = params.get(name);
  if (value !== null && value.length > maxCharacters) throw invalidRequest(`${name} is too long.`);
  return value;
}

const isPrompt = (text: string): text is Prompt => PROMPTS.some((prompt) => prompt === text);

function readPrompts(params: URLSearchParams): Prompt[] {
  const named = (params.get("prompt") ?? "").split(" ").filter(Boolean);
  const prompts = [...named, ...(params.get("screen_hint") === "signup" ? ["create"] : [])];
  const isGood = prompts.every(isPrompt) && (!prompts.includes("none") || prompts.length === 1);
  if (!isGood) throw invalidRequest("prompt must be none alone, or of login, consent, select_account and create.");
  return prompts as Prompt[];
}

function readMaxAge(params: URLSearchParams): number | null {
  const text = params.get("max_age");
  if (text === null) return null;
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest("max_age must be a whole number of seconds.");
  return Number(text);
}
