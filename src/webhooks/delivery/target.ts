/** Which URLs a subscription may have, checked when it is created or changed and again before each delivery. */
import type { Config } from "../../base/config/config";
import { isPrivateHost, withoutDot } from "../../base/private-host";
import { MAX_URL_CHARACTERS } from "../../base/schemas/schemas";

/**
 * Returns why a URL is refused, as a message for the client; null when it is accepted. `ownHosts` are the hosts of this
 * service: a subscription to its own `POST /events` would be a loop. `egress: "any"` accepts private addresses and own
 * hosts, for local development.
 */
export function refuseTarget(
  text: string,
  egress: Config["webhookEgress"],
  ownHosts: readonly string[],
): string | null {
  if (text.length > MAX_URL_CHARACTERS) return `Must have at most ${MAX_URL_CHARACTERS} characters`;
  const url = URL.parse(text);
  if (!url) return "Must be a URL";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "Must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "Must not contain credentials";
  if (url.hostname === "") return "Must name a host";
  if (egress === "any") return null;
  if (isPrivateHost(url.hostname)) return "Must not point to a private or reserved address";
  if (ownHosts.some((own) => withoutDot(url.hostname) === withoutDot(new URL(`http://${own}`).hostname))) {
    return "Must not point to this service";
  }
  return null;
}
