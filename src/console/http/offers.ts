/** What the pages for accounts offer, by the settings. */
import type { Context } from "hono";
import type { Config } from "../../base/config/config";
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { AppEnv } from "../../base/http/env";
import { API_PATH, CONSOLE_PATH } from "../../base/paths";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { PROVIDER_NAMES, type ProviderName } from "../../base/schemas/schemas";
import { providerLabel } from "../../identity/providers/labels";
import { MAX_REQUEST_CHARACTERS } from "../../identity/sign-in/providers/api";
import { isSignOnUsed } from "../../sign-on/discovery/used";
import { withQuery } from "../components/address";
import { hrefOf, isForApps } from "./mount";

/** Whether people can register without an invitation. */
export const canRegister = (c: Context<AppEnv>): boolean => c.get("deps").config.registration.for !== "invited";

export const takesPasswords = (c: Context<AppEnv>): boolean => c.get("deps").config.passwords === "on";

export interface OfferedProvider {
  name: ProviderName;
  label: string;
}

/** The providers that the console offers. Empty if browsers come back to a client other than the console. */
export function offeredProviders(config: Config): OfferedProvider[] {
  if (config.appUrl !== `${config.publicUrl}${CONSOLE_PATH}`) return [];
  return configured(config);
}

const configured = (config: Config): OfferedProvider[] =>
  PROVIDER_NAMES.filter((name) => config.providers[name]).map((name) => ({
    name,
    label: providerLabel(config, name),
  }));

/**
 * Whether the page of a request offers single sign-on: where tenants sign people on, and browsers come back to these
 * pages.
 */
export async function offersSignOn(c: Context<AppEnv>): Promise<boolean> {
  const deps = c.get("deps");
  return hasSignOn(deps.config) && comesBack(c) && (await isSignOnUsed(deps));
}

/** Whether the browser comes back from a provider to the pages of the request. */
function comesBack(c: Context<AppEnv>): boolean {
  const { appUrl, publicUrl, tokenIssuer } = c.get("deps").config;
  if (isForApps(c)) return publicUrl === tokenIssuer && !isRequestTooLong(c);
  return appUrl === `${publicUrl}${CONSOLE_PATH}`;
}

/** Where a sign-on confirms a confined session, and leads on to `to`; null where it cannot. */
export function confirmingSignOn(c: Context<AppEnv>, { connectionId }: SessionPrincipal, to: string): string | null {
  if (connectionId === null || !hasSignOn(c.get("deps").config) || !comesBack(c)) return null;
  const query = { connection: connectionId, purpose: "step-up" };
  if (isForApps(c)) return hrefOf(c, withQuery("/sign-on/start", query));
  return withQuery(`${API_PATH}/auth/sign-on`, { ...query, to });
}

const isRequestTooLong = (c: Context<AppEnv>): boolean => (c.req.query("r") ?? "").length > MAX_REQUEST_CHARACTERS;

/** Those that the page of a request offers. On the pages for apps, browsers come back to these pages. */
export function providersOf(c: Context<AppEnv>): OfferedProvider[] {
  const { config } = c.get("deps");
  if (!isForApps(c)) return offeredProviders(config);
  return config.publicUrl === config.tokenIssuer && !isRequestTooLong(c) ? configured(config) : [];
}
