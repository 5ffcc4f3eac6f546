/** The browser of somebody who has signed on remembers the connection, so that it is led there again. */
import type { Deps } from "../base/deps";
import type { Cookies } from "../base/operation";
import { DAY_MS } from "../base/time";
import { seal, unseal } from "../identity/providers/sealed";

const COOKIE = "sign-on";
const REMEMBERED_MS = 180 * DAY_MS;

interface Remembered {
  connectionId: string;
  expiresAt: number;
}

/** Each sign-on remembers its connection, in place of another one. */
export async function rememberConnection(deps: Deps, connectionId: string, cookies: Cookies): Promise<void> {
  const remembered: Remembered = { connectionId, expiresAt: deps.now() + REMEMBERED_MS };
  cookies.set(COOKIE, await seal(deps, "sign-on connection", remembered), remembered.expiresAt);
}

/** Null for a browser that nobody has signed on with. */
export async function rememberedConnection(deps: Deps, cookies: Cookies): Promise<string | null> {
  return (await unseal<Remembered>(deps, "sign-on connection", cookies.get(COOKIE)))?.connectionId ?? null;
}
