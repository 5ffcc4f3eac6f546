/** What comes before people are written: their second factors are encrypted, and take-overs end what is elsewhere. */
import { encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { tenantsToLeaveOfUser } from "../reclaim/by-code-store";
import { disableAbandoned } from "../reclaim/reclaim";
import { totpOwner } from "../two-factor/codes";
import type { PersonChange } from "./decide";
import type { SealedChange } from "./write-store";

/** The change, ready to be written. */
export async function seal({ keys }: Deps, change: PersonChange, row: SealedChange["row"]): Promise<SealedChange> {
  const { totpSecret, person } = change;
  const totpSealed = totpSecret === null ? null : await encrypt(keys, totpOwner(person.id), totpSecret);
  return { ...change, row, totpSealed };
}

/** Call it before the write: after a fault in between, the change is decided again. */
export async function endTakenOver(deps: Deps, changes: readonly PersonChange[]): Promise<void> {
  for (const { takesOver, person } of changes) {
    if (takesOver) await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, person.id));
  }
}
