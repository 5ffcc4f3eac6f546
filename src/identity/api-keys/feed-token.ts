/** Authenticates the token of a feed in one D1 round trip; a mistyped one costs none. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { ApiKeyPrincipal } from "../../base/schemas/principal";
import { findByTokenHash } from "../../webhooks/feeds/tokens-store";
import { findByKey } from "./known-key";

/**
 * The principal of a token, which may use its feed and nothing else; null when it is unknown or has ended. Throws
 * RATE_LIMITED when too many tokens that do not work come from `clientIp`.
 */
export async function authenticateFeedToken(
  deps: Deps,
  token: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<ApiKeyPrincipal | null> {
  const found = await findByKey(deps, token, clientIp, (hash) => findByTokenHash(deps, hash, deps.now()));
  if (!found) return null;
  const { feedId, prefix, tenant } = found;
  const actor = { kind: "api-key", id: feedId, name: prefix, sessionId: null, ...origin } as const;
  const permissions = new Set(["webhook.read", "webhook.update"] as const);
  return { kind: "api-key", userId: "", ...tenant, permissions, actor, feedId };
}
