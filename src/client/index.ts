/** `postern/client`: the API from browsers, Node and Workers, without dependencies. */
import { authMethods, sessionMethods, twoFactorMethods } from "./auth";
import { createCall } from "./call";
import { createRenew } from "./renewal";
import { createSend, type Fetch } from "./send";
import { apiKeyMethods, invitationMethods, memberMethods } from "./tenant";
import { memoryStore, type TokenStore } from "./token-store";
import { eventMethods, statsMethods, webhookMethods } from "./webhooks";

export type { CallOptions } from "./call";
export { PosternError, type PosternErrorCode, type PosternErrorFields } from "./errors";
export type { Fetch } from "./send";
export { type KeyValueStorage, memoryStore, type StoredTokens, type TokenStore, webStorageStore } from "./token-store";
export type * from "./types";
export type { LogFilter, LogPage, PublishOptions, StatsOptions } from "./webhooks";

const TIMEOUT_MS = 30_000;

export interface ClientOptions {
  /** Where the service stands, without `/api/v1`: `https://postern.example.com`. */
  baseUrl: string;
  /** Calls as this API key; nothing is stored or renewed. */
  apiKey?: string | undefined;
  /** Where the tokens are kept; in memory unless given. */
  tokens?: TokenStore | undefined;
  /** Stands in for the global `fetch`. */
  fetch?: Fetch | undefined;
  /** For a call, unless it says otherwise; 30,000. */
  timeoutMs?: number | undefined;
}

/** Every method throws `PosternError`, and takes `{ signal, timeoutMs }` last. */
export interface Client {
  auth: ReturnType<typeof authMethods>;
  sessions: ReturnType<typeof sessionMethods>;
  twoFactor: ReturnType<typeof twoFactorMethods>;
  apiKeys: ReturnType<typeof apiKeyMethods>;
  members: ReturnType<typeof memberMethods>;
  invitations: ReturnType<typeof invitationMethods>;
  webhooks: ReturnType<typeof webhookMethods>;
  events: ReturnType<typeof eventMethods>;
  stats: ReturnType<typeof statsMethods>;
}

/** A client for one user or one API key. In a Worker make one for each request, for promises can't be shared between them. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, apiKey, tokens = memoryStore(), timeoutMs = TIMEOUT_MS } = options;
  const send = createSend(baseUrl, options.fetch ?? ((url, init) => fetch(url, init)));
  const renew = createRenew(tokens, send, `postern ${baseUrl}`);
  const call = createCall({
    send,
    renew,
    credential: async () => apiKey ?? (await tokens.load())?.accessToken,
    renewable: apiKey === undefined,
    timeoutMs,
  });
  return {
    auth: authMethods(call, tokens, renew),
    sessions: sessionMethods(call),
    twoFactor: twoFactorMethods(call),
    apiKeys: apiKeyMethods(call),
    members: memberMethods(call),
    invitations: invitationMethods(call),
    webhooks: webhookMethods(call),
    events: eventMethods(call),
    stats: statsMethods(call),
  };
}
