/** The browser of somebody who has signed on remembers the connection, so that it is led there again. */
import { decrypt, encrypt } from "../base/crypto/encryption";
import type { Deps } from "../base/deps";
import type { Cookies } from "../base/operation";
import { DAY_MS } from "../base/time";

const COOKIE = "sign-on";
const OWNER = "oidc:sign-on connection";
const REMEMBERED_MS = 180 * DAY_MS;

interface Remembered {
  connectionId: string;
  expiresAt: number;
}

/** Each sign-on remembers its connection, in place of another one. */
export async function rememberConnection(deps: Deps, connectionId: string, cookies: Cookies): Promise<void> {
  const remembered: Remembered = { connectionId, expiresAt: deps.now() + REMEMBERED_MS };
  cookies.set(COOKIE, await encrypt(deps.keys, OWNER, JSON.stringify(remembered)), remembered.expiresAt);
}

/**
 * Null for a browser that nobody has signed on with. An entry of SECRET_KEYS that is listed opens it, however long ago
 * it was the first: what it says opens nothing, and it lives for longer than most keys.
 */
export async function rememberedConnection({ keys, now }: Deps, cookies: Cookies): Promise<string | null> {
  try {
    const remembered = JSON.parse(await decrypt(keys, OWNER, cookies.get(COOKIE) ?? "")) as Remembered;
    return remembered.expiresAt > now() ? remembered.connectionId : null;
  } catch {
    return null;
  }
}
