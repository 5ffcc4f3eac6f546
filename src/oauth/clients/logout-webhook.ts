/** The hidden subscription of a client with a `backchannelLogoutUrl`. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { refuseTarget } from "../../webhooks/delivery/target";
import { newSecret } from "../../webhooks/signing/secret";
import { encryptSecret } from "../../webhooks/subscriptions/changes";
import type { LogoutWebhook } from "./logout-store";
import type { ClientRow } from "./store";

/**
 * A new one for a client that has none; null if none is needed. Throws VALIDATION_FAILED for a URL that may not be
 * called.
 */
export async function newLogoutWebhook(
  deps: Deps,
  { name, logoutWebhookId }: Pick<ClientRow, "name" | "logoutWebhookId">,
  url: string | null,
): Promise<LogoutWebhook | null> {
  const refusal = url === null ? null : refuseTarget(url, deps.config.webhookEgress, deps.ownHosts);
  if (refusal) throw invalidField("backchannelLogoutUrl", refusal);
  if (url === null || logoutWebhookId !== null) return null;
  const id = newId();
  return { id, name, url, ...(await encryptSecret(deps, id, newSecret())) };
}
