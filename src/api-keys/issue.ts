/** Creating an API key. It is returned once and stored as a hash. */
import { sha256Hex } from "../crypto/encoding";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { queueMail } from "../mail/queue";
import { capReached } from "../ratelimit/caps";
import type { Permission } from "../tenants/roles";
import { makeApiKey } from "./key";
import { type ApiKeyRow, insertApiKey } from "./store";

const SHOWN_CHARACTERS = 8;

export interface KeyRequest {
  name: string;
  scopes: Permission[];
  /** Unix ms; missing: it never expires. */
  expiresAt?: number | undefined;
}

/** Creates a key of a user in a tenant and notifies them by mail. Returns its row and the key itself. Throws CONFLICT at the cap. */
export async function issueApiKey(
  deps: Deps,
  tenantId: string,
  userId: string,
  request: KeyRequest,
): Promise<{ row: ApiKeyRow; key: string }> {
  const key = makeApiKey();
  const row: ApiKeyRow = {
    id: newId(),
    tenantId,
    userId,
    name: request.name,
    prefix: `${key.slice(0, SHOWN_CHARACTERS)}…`,
    keyHash: await sha256Hex(key),
    scopes: request.scopes,
    createdAt: deps.now(),
    expiresAt: request.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
  };
  if (!(await insertApiKey(deps, row))) throw capReached("apiKeys", deps.config.caps);
  await queueMail(deps, { kind: "apiKeyCreated", userId, keyName: request.name });
  return { row, key };
}
