/** Removing an identity in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import type { ProviderName } from "../../../base/schemas/schemas";
import { auditIfChanged } from "../../../tenancy/audit/record-store";
import { hasOtherSignInMethod } from "../../sign-in-methods-store";

/** `unknown`: the user has no such identity. `last`: there is no other way to sign in. */
export type IdentityRemoval = { provider: ProviderName } | "unknown" | "last";

/**
 * Removes an identity of a user who can sign in without it. Of two parallel removals of the last two, only one
 * succeeds.
 */
export async function deleteIdentityOfUser(
  deps: Deps,
  { tenantId, userId, actor }: SessionPrincipal,
  id: string,
): Promise<IdentityRemoval> {
  const { known, removed } = await atomically(deps.db, {
    // First: it reads whether there is one to remove.
    known: sql`SELECT 1 FROM identities WHERE id = ${id} AND user_id = ${userId}`,
    removed: rows<{ provider: ProviderName }>(
      sql`DELETE FROM identities WHERE id = ${id} AND user_id = ${userId} AND ${hasOtherSignInMethod(deps, userId, id)}
        RETURNING provider`,
    ),
    recorded: auditIfChanged({ tenantId, action: "auth.identity_unlinked", actor, target: { kind: "identity", id } }),
  });
  if (known.length === 0) return "unknown";
  return removed[0] ?? "last";
}
