/** Where a client keeps its tokens. */

/** Keep it whole: `refreshKey` is what gets a lost answer of a refresh back, even after a restart. */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  /** The `Idempotency-Key` under which this refresh token is being exchanged. */
  refreshKey?: string;
}

/** Two methods, either may be async. Clients that share a store (tabs, processes) share a session. */
export interface TokenStore {
  load(): StoredTokens | null | Promise<StoredTokens | null>;
  /** `null` means signed out: by `logout`, or because the service refused the refresh token. */
  save(tokens: StoredTokens | null): void | Promise<void>;
}

/** Tokens that live as long as the page or process. */
export function memoryStore(initial: StoredTokens | null = null): TokenStore {
  let tokens = initial;
  return {
    load: () => tokens,
    save: (next) => {
      tokens = next;
    },
  };
}

/** What of the Web Storage interface is used. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Tokens in `localStorage` or the like, shared by the tabs of an origin. Any script of the page can read them there. */
export function webStorageStore(storage: KeyValueStorage, key = "postern.tokens"): TokenStore {
  return {
    load: () => JSON.parse(storage.getItem(key) ?? "null") as StoredTokens | null,
    save: (tokens) => {
      if (tokens) storage.setItem(key, JSON.stringify(tokens));
      else storage.removeItem(key);
    },
  };
}
