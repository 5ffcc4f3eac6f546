/** Back-channel logout (OpenID Connect Back-Channel Logout 1.0): the provider tells which sign-ins have ended. */
import { SessionError } from "../session/errors";
import type { Claims } from "../session/jws";
import { readBody } from "../verify/body";
import type { LogoutNotes, Settings } from "./options";
import type { Provider } from "./provider";
import type { StoredSession } from "./stored";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const MAX_BODY_BYTES = 32 * 1024;
const MAX_NOTES = 10_000;

export interface Logouts {
  /** Notes what a logout token says. False without one that is good; throws Error for one that could not be checked. */
  take(request: Request): Promise<boolean>;
  haveEnded(session: StoredSession): Promise<boolean>;
}

export function createLogouts(settings: Settings, provider: Provider): Logouts {
  const { maxAgeMs } = settings;
  const notes = settings.logoutNotes ?? notesOfProcess(settings);
  /** The second in which the sign-in ended, by the provider's clock. */
  const endedAt = async (key: string): Promise<number> => Number((await notes.get(key)) ?? -Infinity);
  const read = async (request: Request): Promise<Logout | null> => {
    const form = new URLSearchParams(await readBody(request, MAX_BODY_BYTES));
    return logoutIn(await provider.openToken(form.get("logout_token") ?? "", ["logout+jwt", "JWT", undefined]));
  };
  return {
    async take(request) {
      await provider.discover();
      const logout = await read(request).catch((error: unknown) => {
        if (error instanceof SessionError && error.status === 503) throw error;
        return null;
      });
      if (!logout) return false;
      // An older token that comes again must not take the place of a newer one.
      if (logout.iat > (await endedAt(logout.key))) {
        await notes.set(logout.key, String(logout.iat), Math.ceil(maxAgeMs / 1000));
      }
      return true;
    },
    async haveEnded({ claims, issuedAt }) {
      const { sid, sub } = claims;
      if (typeof sid === "string" && (await endedAt(`sid:${sid}`)) > -Infinity) return true;
      // The person may have signed in again since.
      return (await endedAt(`sub:${String(sub)}`)) >= issuedAt;
    },
  };
}

interface Logout {
  /** The sign-in that has ended, or the person whose sign-ins have. */
  key: string;
  /** Unix seconds. */
  iat: number;
}

/** Section 2.6. Without these checks, an ID token would do. */
function logoutIn({ sid, sub, iat, events, nonce }: Claims): Logout | null {
  const says = typeof events === "object" && events !== null && EVENT in events;
  if (!says || nonce !== undefined || typeof iat !== "number") return null;
  if (typeof sid === "string") return { key: `sid:${sid}`, iat };
  return typeof sub === "string" ? { key: `sub:${sub}`, iat } : null;
}

/** Frameworks such as Next load this module several times in a process, for pages and for what answers the provider. */
export const NOTES_OF_PROCESS = Symbol.for("postern/web logout notes");

function notesOfProcess({ issuer, clientId, now }: Settings): LogoutNotes {
  const shared = globalThis as { [NOTES_OF_PROCESS]?: Map<string, LogoutNotes> };
  shared[NOTES_OF_PROCESS] ??= new Map();
  const key = `${issuer} ${clientId}`;
  const notes = shared[NOTES_OF_PROCESS].get(key) ?? notesInMemory(now);
  shared[NOTES_OF_PROCESS].set(key, notes);
  return notes;
}

/** The oldest notes go first: only the provider makes any. */
function notesInMemory(now: () => number): LogoutNotes {
  const notes = new Map<string, { value: string; until: number }>();
  return {
    async set(key, value, seconds) {
      for (const [old, { until }] of notes) {
        if (until > now() && notes.size < MAX_NOTES) break;
        notes.delete(old);
      }
      notes.set(key, { value, until: now() + seconds * 1000 });
    },
    get: async (key) => notes.get(key)?.value,
  };
}
