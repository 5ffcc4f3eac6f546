/** The OpenID Connect provider: its discovery document, its tokens, and how its ID tokens are checked. */

import { type Claims, type KeySet, openJws } from "../session/jws";
import { createKeySet } from "../session/key-set";
import { fetchDocument } from "../session/request";
import { createRevocations, type Revocations } from "../session/revocations";
import { singleFlight } from "../session/single-flight";
import { readBody } from "../verify/body";
import type { Settings } from "./options";

const MAX_DOCUMENT_BYTES = 128 * 1024;
const MAX_LIST_BYTES = 2 * 1024 * 1024;
const KEPT_MS = 60 * 60_000;
/** How long the former document stays at least when a new one could not be read. */
const RETRIED_AFTER_MS = 60_000;
/** How far the clocks may be apart. */
const TOLERANCE_SECONDS = 30;

/** The members of a discovery document that are read. */
interface Endpoints {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  end_session_endpoint?: string;
  revocation_endpoint?: string;
  postern_revoked_uri?: string;
  userinfo_endpoint?: string;
  authorization_response_iss_parameter_supported?: boolean;
}

export interface Discovered {
  endpoints: Endpoints;
  keys: KeySet;
  /** Null for a provider that publishes no list, and where it is off. */
  revocations: Revocations | null;
}

/** What the token endpoint has answered. */
export interface Tokens {
  access_token: string;
  expires_in?: number;
  id_token?: string;
  refresh_token?: string;
}

/** The provider refuses: the code or the refresh token has ended. */
export class TokenRefused extends Error {
  constructor(readonly code: string) {
    super(`The provider has refused: ${code}`);
    this.name = "TokenRefused";
  }
}

export interface Provider {
  discover(): Promise<Discovered>;
  /** Throws TokenRefused, and Error when the provider does not answer rightly. */
  requestTokens(fields: Record<string, string>): Promise<Tokens>;
  /** The claims of a token of one of these types for this client, in its time. Throws for anything else. */
  openToken(token: string, types: readonly (string | undefined)[]): Promise<Claims>;
  /** The claims of an ID token for this client. Throws for anything else. */
  readIdToken(token: string, nonce: string | null): Promise<Claims>;
  /** What userinfo says of the person. Throws for an answer about somebody else. */
  readUserinfo(accessToken: string, sub: string): Promise<Claims>;
  /** Gives a refresh token back. Never throws: at worst it goes on until its end. */
  revoke(token: string): Promise<void>;
}

/** Finds the provider's document, and keeps it for an hour. */
function createDiscovery({ issuer, timeoutMs, fetch, now, polls }: Settings): Provider["discover"] {
  const source = (url: string, maxBytes: number) => ({ url, fetch, timeoutMs, maxBytes });
  let found: (Discovered & { at: number }) | undefined;
  const load = singleFlight(async () => {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = await fetchDocument(source(url, MAX_DOCUMENT_BYTES));
    const endpoints = JSON.parse(document?.text ?? "{}") as Endpoints;
    if (endpoints.issuer !== issuer) throw new Error("The discovery document is of another issuer.");
    const keys = createKeySet(source(endpoints.jwks_uri, MAX_DOCUMENT_BYTES), now);
    const listUrl = polls ? endpoints.postern_revoked_uri : undefined;
    const list = listUrl === undefined ? null : source(listUrl, MAX_LIST_BYTES);
    const revocations = list && createRevocations(list, keys, { issuer, audience: null }, now);
    found = { endpoints, keys, revocations, at: now() };
  }, timeoutMs);
  return async () => {
    if (!found) await load();
    else if (now() - found.at > KEPT_MS) {
      // If this fails, the former document stays, and not every request asks again.
      found = { ...found, at: now() - KEPT_MS + RETRIED_AFTER_MS };
      await load().catch(() => undefined);
    }
    if (!found) throw new Error("The provider could not be discovered.");
    return found;
  };
}

export function createProvider(settings: Settings): Provider {
  const { issuer, clientId, clientSecret, isSecretInBody, timeoutMs, fetch, now } = settings;
  const discover = createDiscovery(settings);
  const proof = { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
  const proving: Record<string, string> = isSecretInBody
    ? {}
    : { authorization: `Basic ${basic(clientId, clientSecret ?? "")}` };
  const post = (url: string, fields: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { ...proving, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ ...fields, ...(isSecretInBody ? proof : {}) }).toString(),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
  const openToken: Provider["openToken"] = async (token, types) => {
    const claims = await openJws(token, types, (await discover()).keys);
    const isOurs = claims.iss === issuer && [claims.aud].flat().includes(clientId);
    if (isOurs && Number(claims.exp) + TOLERANCE_SECONDS > now() / 1000) return claims;
    throw new Error("The token is not for this app, or its time has passed.");
  };
  return {
    discover,
    openToken,
    requestTokens: async (fields) => readTokens(await post((await discover()).endpoints.token_endpoint, fields)),
    async readIdToken(token, nonce) {
      const claims = await openToken(token, ["JWT", undefined]);
      const isForUs = [claims.aud].flat().length === 1 || claims.azp === clientId;
      const isAnswer = nonce === null || claims.nonce === nonce;
      if (isForUs && isAnswer && typeof claims.sub === "string") return claims;
      throw new Error("The ID token is not for this sign-in.");
    },
    async readUserinfo(accessToken, sub) {
      const { userinfo_endpoint: url } = (await discover()).endpoints;
      if (url === undefined) return {};
      const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
      const response = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      const claims = JSON.parse(await readBody(response, MAX_DOCUMENT_BYTES)) as Claims;
      if (response.status !== 200 || claims.sub !== sub) throw new Error("Userinfo is not about this person.");
      return claims;
    },
    async revoke(token) {
      try {
        const { revocation_endpoint: url } = (await discover()).endpoints;
        if (url !== undefined) await post(url, { token });
      } catch {
        // See above.
      }
    },
  };
}

async function readTokens(response: Response): Promise<Tokens> {
  const body = JSON.parse(await readBody(response, MAX_DOCUMENT_BYTES)) as Tokens & { error?: unknown };
  const isRefused = response.status >= 400 && response.status < 500 && response.status !== 429;
  if (isRefused && body.error !== undefined) throw new TokenRefused(String(body.error));
  if (response.status === 200 && typeof body.access_token === "string") return body;
  throw new Error(`The provider answered ${response.status}.`);
}

/** Both parts are form-encoded (RFC 6749 section 2.3.1). */
const basic = (id: string, secret: string): string =>
  btoa([id, secret].map((part) => encodeURIComponent(part)).join(":"));
