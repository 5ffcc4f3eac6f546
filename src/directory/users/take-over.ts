/** Whoever has registered an address of the tenant's domain without proving it loses the account. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { tenantsToLeaveOfUser } from "../../identity/reclaim/by-code-store";
import { disableAbandoned } from "../../identity/reclaim/reclaim";
import type { DirectoryActor } from "../callers/caller";
import type { DirectoryAccount } from "./account-store";
import { takeOverByDirectory } from "./take-over-store";

export async function takeOver(deps: Deps, caller: DirectoryActor, account: DirectoryAccount): Promise<void> {
  const { userId } = account;
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, userId));
  const ended = await takeOverByDirectory(deps, caller, account, deps.now());
  if (ended) await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId, ended, byCode: true });
}
