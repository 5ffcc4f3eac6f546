/** Which client a `client_id` names: a registered one, or one that says itself what it is. */
import type { Deps } from "../../../base/deps";
import { builtInClient } from "../built-in";
import { isClientId } from "../keys";
import type { ClientRow } from "../store";
import { isDocumentUrl, readDocument } from "./document";
import { readRegistration } from "./registration";

interface NamedClient {
  /** In tables. */
  id: string;
  /** Null for a registered client, which D1 has. */
  unlisted: ClientRow | null;
}

/** Null for a text that names none. Does not read D1. What is fetched counts for `clientIp`. Throws RATE_LIMITED. */
export async function resolveClient(deps: Deps, clientId: string, clientIp: string): Promise<NamedClient | null> {
  if (isClientId(clientId)) return { id: clientId, unlisted: null };
  const unlisted = await readUnlisted(deps, clientId, clientIp);
  return unlisted && { id: unlisted.id, unlisted };
}

async function readUnlisted(deps: Deps, clientId: string, clientIp: string): Promise<ClientRow | null> {
  const builtIn = await builtInClient(deps, clientId);
  if (builtIn) return builtIn;
  const { oauthClientMetadata, oauthRegistration } = deps.config;
  if (oauthClientMetadata !== "off" && isDocumentUrl(deps, clientId)) return readDocument(deps, clientId, clientIp);
  return oauthRegistration === "on" ? readRegistration(deps, clientId) : null;
}
