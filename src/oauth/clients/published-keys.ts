/** The public keys that an app publishes at its `jwksUrl` (RFC 7517). */
import { BoundedMap } from "../../base/bounded-map";
import type { Deps } from "../../base/deps";
import { isJson } from "../../base/media-type";
import type { ClientKeySet, ClientSettings } from "../../base/schemas/client-settings";
import { MINUTE_MS } from "../../base/time";
import { boundedFetch, ProviderUnreachable } from "../../identity/providers/fetch";
import { refuseTarget } from "../../webhooks/delivery/target";
import { keysIn, MAX_KEY_SET_BYTES } from "./key-set";

const MAX_KEPT = 8;
const KEPT_MS = 5 * MINUTE_MS;
const published = new BoundedMap<{ keys: ClientKeySet; at: number }>(MAX_KEPT);

/** Those of a client: its own, or those that it publishes, which are kept for five minutes. Null without any. */
export async function keysOf(deps: Deps, { jwks, jwksUrl }: ClientSettings): Promise<ClientKeySet | null> {
  if (jwksUrl === null) return jwks;
  const known = published.get(jwksUrl);
  if (known && deps.now() - known.at < KEPT_MS) return known.keys;
  const keys = await fetchKeys(deps, jwksUrl);
  // What went wrong is not kept.
  if (keys) published.set(jwksUrl, { keys, at: deps.now() });
  return keys;
}

/** Without redirects. A URL that was taken under another setting is refused too. */
async function fetchKeys({ config, ownHosts }: Deps, url: string): Promise<ClientKeySet | null> {
  if (refuseTarget(url, config.webhookEgress, ownHosts) !== null) return null;
  const request = { method: "GET", headers: { accept: "application/json" } };
  try {
    const answer = await boundedFetch(url, request, MAX_KEY_SET_BYTES);
    const isGood = answer.status === 200 && isJson(answer.headers.get("content-type"));
    return isGood ? keysIn(await answer.json()) : null;
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof SyntaxError) return null;
    throw error;
  }
}
