/** Reclaiming an account with a code that was mailed to its address. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { ClientContext } from "../../base/schemas/client-context";
import { reclaimByCode, tenantsToLeaveOfUser } from "./by-code-store";
import { disableAbandoned } from "./reclaim";

/**
 * Reclaims an account whose address was unverified until now, because its creator may not own the address. If anything
 * fails in between, the code still works.
 */
export async function reclaimByMailCode(
  deps: Deps,
  { mailId, userId }: { mailId: string; userId: string },
  { origin }: ClientContext,
): Promise<void> {
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, userId));
  const ended = await reclaimByCode(deps, { mailId, userId, origin }, deps.now());
  if (ended) await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId, ended, byCode: true });
}
