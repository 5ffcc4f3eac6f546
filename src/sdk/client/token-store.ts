/** Where a client keeps its tokens. */

/**
 * The tokens of a session. Keep all fields: with `refreshKey` the client recovers a lost answer, even after a restart.
 */
export interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  /** The `Idempotency-Key` under which this refresh token is being exchanged. */
  refreshKey?: string;
}

/**
 * Where a client keeps its tokens. Clients that share a store, such as the tabs of an origin, share a session.
 *
 * @example
 * const tokens: TokenStore = {
 *   load: async () => JSON.parse((await keychain.read("postern")) ?? "null"),
 *   save: (next) => keychain.write("postern", JSON.stringify(next)),
 * };
 */
export interface TokenStore {
  /** Returns the tokens saved last, or null when nobody is signed in. */
  load(): StoredTokens | null | Promise<StoredTokens | null>;
  /** Replaces the tokens. Null means signed out: by `logout`, or because the service refused the refresh token. */
  save(tokens: StoredTokens | null): void | Promise<void>;
}

/** Returns a store that lives as long as the page or process, holding `initial` at first. */
export function memoryStore(initial: StoredTokens | null = null): TokenStore {
  let tokens = initial;
  return {
    load: () => tokens,
    save: (next) => {
      tokens = next;
    },
  };
}

/** The part of the Web Storage interface that `webStorageStore` uses; `localStorage` has it. */
export interface KeyValueStorage {
  /** Returns the value, or null when there is none. */
  getItem(key: string): string | null;
  /** Adds or replaces the value. */
  setItem(key: string, value: string): void;
  /** Removes the value, if there is one. */
  removeItem(key: string): void;
}

/**
 * Returns a store in `localStorage` or the like, under `key`, which the tabs of an origin share. Any script on the page
 * can read it. Its `load` throws SyntaxError when something else has written text that is not JSON there.
 */
export function webStorageStore(storage: KeyValueStorage, key = "postern.tokens"): TokenStore {
  return {
    load: () => JSON.parse(storage.getItem(key) ?? "null") as StoredTokens | null,
    save: (tokens) => {
      if (tokens) storage.setItem(key, JSON.stringify(tokens));
      else storage.removeItem(key);
    },
  };
}
