/** Renewal of the access token: one exchange at a time, in this client and across the tabs of an origin. */

import { PosternError } from "./errors";
import type { TokenPair } from "./generated";
import type { Send } from "./send";
import type { StoredTokens, TokenStore } from "./token-store";

const REFRESH_TIMEOUT_MS = 10_000;
/** Five tries take at most 57.5 s with their timeouts. The service repeats a lost answer for 60 s. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000];
const LOCK_WAIT_MS = 60_000;

/**
 * Takes the access token that was refused. Returns its replacement, or null when nobody is signed in any more. Any
 * number of concurrent callers cause one exchange. Throws REFRESH_TOKEN_* once the store is cleared, and what `Send`
 * throws.
 */
export type Renew = (staleToken: string) => Promise<string | null>;

interface Locks {
  request<T>(name: string, options: { signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

/** `lockName` is the Web Lock that clients with a shared store hold in turn. */
export function createRenew(store: TokenStore, send: Send, lockName: string): Renew {
  let inProgress: Promise<string | null> | undefined;
  return (staleToken) => {
    inProgress ??= exclusively(lockName, () => renew(store, send, staleToken)).finally(() => {
      inProgress = undefined;
    });
    return inProgress;
  };
}

async function renew(store: TokenStore, send: Send, staleToken: string): Promise<string | null> {
  const tokens = await store.load();
  // Another client has renewed or signed out while this one waited for the lock.
  if (tokens?.accessToken !== staleToken) return tokens?.accessToken ?? null;
  const refreshKey = tokens.refreshKey ?? crypto.randomUUID();
  // Stored before it is sent: if the page is closed now, its next load can still ask for the lost answer.
  if (!tokens.refreshKey) await store.save({ ...tokens, refreshKey });
  try {
    const pair = await exchange(send, tokens.refreshToken, refreshKey);
    return await replace(store, tokens, pair);
  } catch (error) {
    if (!(error instanceof PosternError) || !error.code.startsWith("REFRESH_TOKEN_")) throw error;
    const current = await replace(store, tokens, null);
    if (current !== null) return current;
    throw error;
  }
}

/**
 * Replaces `tokens` with `next`, unless a login or logout has replaced them already. Returns the access token now
 * stored.
 */
async function replace(store: TokenStore, tokens: StoredTokens, next: TokenPair | null): Promise<string | null> {
  const current = await store.load();
  if (current?.refreshToken !== tokens.refreshToken) return current?.accessToken ?? null;
  await store.save(next);
  return next?.accessToken ?? null;
}

/** Tries again with the same key while the answer may have been lost. */
async function exchange(send: Send, refreshToken: string, idempotencyKey: string): Promise<TokenPair> {
  for (const delayMs of [...RETRY_DELAYS_MS, null]) {
    try {
      const signal = AbortSignal.timeout(REFRESH_TIMEOUT_MS);
      const { data } = await send({
        method: "POST",
        path: "/auth/refresh",
        body: { refreshToken },
        idempotencyKey,
        signal,
      });
      return data as TokenPair;
    } catch (error) {
      if (delayMs === null || !mayBeLost(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  throw new Error("unreachable");
}

function mayBeLost(error: unknown): boolean {
  if (!(error instanceof PosternError)) return false;
  return error.status >= 500 || ["NETWORK_ERROR", "TIMEOUT", "BAD_RESPONSE"].includes(error.code);
}

/** Holds the Web Lock `name` during `work`, where the runtime has Web Locks (W3C, "Web Locks API"). */
async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { navigator?: { locks?: Locks } };
  return navigator?.locks ? navigator.locks.request(name, { signal: AbortSignal.timeout(LOCK_WAIT_MS) }, work) : work();
}
