/** The sessions of an app's people: in a sealed cookie, renewed when their tokens end, ended when Postern says so. */
import { type CookieJar, cookiesOf } from "./cookies";
import type { Logouts } from "./logout";
import type { Settings } from "./options";
import type { Provider } from "./provider";
import { createRenew } from "./renew";
import type { Seal } from "./seal";
import type { StoredSession } from "./stored";

const COOKIE = "session";

/** Where browsers reach the app, and what they keep for it. */
export function hereOf(settings: Settings, request: Request): { origin: string; jar: CookieJar } {
  const origin = settings.origin ?? new URL(request.url).origin;
  return { origin, jar: cookiesOf(request, origin) };
}

interface Sessions {
  /** What the cookie has, as it is. */
  read(request: Request): Promise<StoredSession | null>;
  /** What holds now, and the lines that the answer must have. */
  current(request: Request): Promise<{ stored: StoredSession | null; cookies: string[] }>;
  /** The lines that keep a session. */
  store(request: Request, session: StoredSession): Promise<string[]>;
  /** The lines that end it. */
  remove(request: Request): string[];
}

interface Parts {
  settings: Settings;
  provider: Provider;
  seal: Seal;
  logouts: Logouts;
}

export function createSessions({ settings, provider, seal, logouts }: Parts): Sessions {
  const { now, maxAgeMs, clientId } = settings;
  const renew = createRenew(provider, now);
  const leftSeconds = ({ signedInAt }: StoredSession) => (signedInAt + maxAgeMs - now()) / 1000;
  const jarOf = (request: Request) => hereOf(settings, request).jar;

  const read: Sessions["read"] = async (request) => {
    const stored = await seal.open<StoredSession>(COOKIE, jarOf(request).get(COOKIE) ?? "");
    return stored && leftSeconds(stored) > 0 ? stored : null;
  };
  const store: Sessions["store"] = async (request, session) =>
    jarOf(request).set(COOKIE, await seal.seal(COOKIE, session), leftSeconds(session));
  const remove: Sessions["remove"] = (request) => jarOf(request).remove(COOKIE);

  /** Whether Postern lists the sign-in, or the token of it, as ended. */
  const isRevoked = async ({ claims, accessSid }: StoredSession): Promise<boolean> => {
    const { revocations } = await provider.discover();
    const { sid, tid, sub, iat } = claims;
    if (!revocations || typeof tid !== "string") return false;
    for (const one of new Set([sid, accessSid])) {
      if (typeof one !== "string") continue;
      const token = { sid: one, tid, sub: String(sub), iat: Number(iat), clientId };
      if ((await revocations.check(token)).isRevoked) return true;
    }
    return false;
  };
  const stands = async (stored: StoredSession) => stored.freshUntil > now() && !(await isRevoked(stored));
  const renewed = async (stored: StoredSession) =>
    stored.refreshToken === null ? null : renew(stored, stored.refreshToken);
  return {
    read,
    store,
    remove,
    async current(request) {
      const stored = await read(request);
      if (!stored) return { stored, cookies: remove(request) };
      if (await logouts.haveEnded(stored)) {
        if (stored.refreshToken !== null) await provider.revoke(stored.refreshToken);
        return { stored: null, cookies: remove(request) };
      }
      if (await stands(stored)) return { stored, cookies: [] };
      // What was revoked may be a role that has changed: the renewal says what holds now.
      const next = await renewed(stored);
      // One that an earlier request has made may have been revoked since.
      const latest = next && !(await stands(next)) ? await renewed(next) : next;
      return { stored: latest, cookies: latest ? await store(request, latest) : remove(request) };
    },
  };
}
