/** Creating an API key. It is returned once and stored as a hash. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { capReached, KEPT_PER_USED, keptReached } from "../../base/limits/caps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import type { Principal } from "../../base/schemas/principal";
import type { Permission } from "../../base/schemas/roles";
import { makeKey, shownPrefix } from "./key";
import { type ApiKeyRow, countKept, insertApiKey } from "./store";

export interface KeyRequest {
  name: string;
  scopes: Permission[];
  /** Unix ms; missing: it never expires. */
  expiresAt?: number | undefined;
  owner: "user" | "tenant";
}

/**
 * Creates a key for the caller or for their tenant, and notifies the caller by mail. Returns the row and the key.
 * Throws FORBIDDEN for a key of the tenant by somebody who manages no members and for scopes of which the caller has
 * none, and CONFLICT at the cap.
 */
export async function issueApiKey(
  deps: Deps,
  { tenantId, userId, actor, permissions }: Pick<Principal, "tenantId" | "userId" | "actor" | "permissions">,
  request: KeyRequest,
): Promise<{ row: ApiKeyRow; key: string }> {
  const isOfTenant = request.owner === "tenant";
  if (isOfTenant && !permissions.has("member.manage")) throw new AppError("FORBIDDEN");
  const key = makeKey("ak_");
  const row: ApiKeyRow = {
    id: newId(),
    tenantId,
    userId: isOfTenant ? "" : userId,
    owner: request.owner,
    name: request.name,
    prefix: shownPrefix(key),
    keyHash: await sha256Hex(key),
    scopes: allowedScopes(request.scopes, permissions),
    createdAt: deps.now(),
    expiresAt: request.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
  };
  const revert = await newRevert(deps.keys, deps.now());
  if (!(await insertApiKey(deps, row, { revert, makerId: userId, actor }))) {
    const cap = isOfTenant ? "tenantApiKeys" : "apiKeys";
    const most = deps.config.caps[cap];
    if ((await countKept(deps, row)) < most * KEPT_PER_USED) throw capReached(cap, deps.config.caps);
    throw keptReached(isOfTenant ? "tenant" : "user", most, "API keys");
  }
  await queueMailIfPossible(deps, { kind: "apiKeyCreated", id: revert.mailId, userId, keyName: request.name });
  return { row, key };
}

/** The scopes that the caller has. The others would begin to work when the caller gets another role. */
function allowedScopes(asked: readonly Permission[], permissions: ReadonlySet<Permission>): Permission[] {
  const allowed = asked.filter((scope) => permissions.has(scope));
  if (allowed.length === 0) throw new AppError("FORBIDDEN", { message: "Your role has none of these scopes." });
  return allowed;
}
