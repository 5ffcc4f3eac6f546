/** Which provider an address leads to. Strangers learn nothing, unless the tenant has chosen that they may. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { API_PATH } from "../../base/paths";
import { startSignOn } from "../flow/start";
import { domainOf } from "../people/world-store";
import { rememberedConnection } from "../remembered";
import { listByDomain } from "./store";

/**
 * The connection of whoever types the address: that of which the browser has signed on before, else the tenant's only
 * one that takes everybody with an address of the domain. Null for all others, in one look-up, whoever they are.
 */
async function connectionFor(deps: Deps, email: string, cookies: Cookies): Promise<string | null> {
  const remembered = await rememberedConnection(deps, cookies);
  const offered = await listByDomain(deps, domainOf(email));
  if (offered.some(({ id }) => id === remembered)) return remembered;
  const [only, other] = offered.filter(({ discovery }) => discovery === "domain");
  return only && !other ? only.id : null;
}

/** Returns the URL that starts the sign-on; null where the address leads to none. */
export async function discoverSignOn(deps: Deps, email: string, cookies: Cookies): Promise<string | null> {
  const connection = await connectionFor(deps, email, cookies);
  if (connection === null) return null;
  const { publicUrl, tokenIssuer } = deps.config;
  const query = new URLSearchParams({ connection, login_hint: email });
  return `${publicUrl ?? tokenIssuer}${API_PATH}/auth/sign-on?${query}`;
}

/** What a page of ours asks for; on the pages for apps, `to` is what the app asks for. */
export interface Leaving {
  email: string;
  to: string;
  isForApps: boolean;
}

/** Starts the sign-on of somebody who has typed an address. Returns the provider's page; null where there is none. */
export async function leaveFor(
  deps: Deps,
  { email, to, isForApps }: Leaving,
  clientIp: string,
  cookies: Cookies,
): Promise<string | null> {
  const connection = await connectionFor(deps, email, cookies);
  if (connection === null) return null;
  return startSignOn(deps, { connection, to, isForApps, login_hint: email }, clientIp, cookies);
}
