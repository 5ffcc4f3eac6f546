/** Renewing the tokens of a session: once for requests that come at the same time, and for those that come late. */
import { isWorkers } from "../is-workers";
import { type Provider, TokenRefused } from "./provider";
import { type StoredSession, storedOf } from "./stored";

/** For so long a browser may send requests with the former cookie. */
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

/** The renewed session; null if it has ended. Throws when the provider does not answer. */
export type Renew = (session: StoredSession, refreshToken: string) => Promise<StoredSession | null>;

/**
 * In Workers a request must not wait for what another one does: there each asks by itself, and Postern gives a client
 * with a secret the same successor again.
 */
export function createRenew(provider: Provider, now: () => number): Renew {
  const done = new Map<string, { at: number; outcome: Promise<StoredSession | null> }>();
  const keep = (refreshToken: string, outcome: Promise<StoredSession | null>) => {
    for (const [token, { at }] of done) {
      if (now() - at < KEPT_MS && done.size < MAX_KEPT) break;
      done.delete(token);
    }
    done.set(refreshToken, { at: now(), outcome });
  };
  const ask: Renew = async (session, refreshToken) => {
    try {
      const tokens = await provider.requestTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
      const { id_token: idToken } = tokens;
      const claims = idToken === undefined ? {} : await provider.readIdToken(idToken, null);
      if (claims.sub !== undefined && claims.sub !== session.claims.sub) return null;
      return storedOf(tokens, idToken ?? session.idToken, claims, now(), session);
    } catch (error) {
      if (error instanceof TokenRefused && error.code === "invalid_grant") return null;
      throw error;
    }
  };
  return async (session, refreshToken) => {
    const known = done.get(refreshToken);
    if (known && now() - known.at < KEPT_MS) return known.outcome;
    const outcome = ask(session, refreshToken);
    if (!isWorkers()) {
      keep(refreshToken, outcome);
      // A failure says nothing about the next try.
      outcome.catch(() => done.delete(refreshToken));
      return outcome;
    }
    const renewed = await outcome;
    keep(refreshToken, Promise.resolve(renewed));
    return renewed;
  };
}
