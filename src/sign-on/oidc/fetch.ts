/** Requests to tenants' providers: by the guard of subscriptions' URLs, which holds again at each use. */
import type { Deps } from "../../base/deps";
import { boundedFetch } from "../../identity/providers/fetch";
import { refuseTarget } from "../../webhooks/delivery/target";

/** What is asked of the guard. */
type Guard = Pick<Deps, "config" | "ownHosts">;

/** An address that the provider names, and that we do not ask. */
export class EndpointRefused extends Error {
  override readonly name = "EndpointRefused";
}

/** Why the address is refused, as a message; null for a good one. http is for providers that a developer runs. */
export function refusalOfEndpoint({ config, ownHosts }: Guard, text: string): string | null {
  const refusal = refuseTarget(text, config.webhookEgress, ownHosts);
  if (refusal !== null) return refusal;
  const { protocol, host } = new URL(text);
  if (protocol !== "https:" && config.webhookEgress !== "any") return "Must be an https URL";
  return ownHosts.includes(host) ? "Must not point to this service" : null;
}

/** `fetch` as oauth4webapi calls it, without redirects. Throws EndpointRefused, and ProviderUnreachable. */
export const guardedFetch =
  (guard: Guard, maxBytes?: number): typeof boundedFetch =>
  async (url, request) => {
    const refusal = refusalOfEndpoint(guard, url);
    if (refusal !== null) throw new EndpointRefused(refusal);
    return boundedFetch(url, request, maxBytes);
  };
