/** A directory removes a person. */
import type { Deps } from "../../base/deps";
import type { DirectoryActor } from "../callers/caller";
import { ScimError } from "../protocol/error";
import type { DirectoryAccount } from "./account-store";
import type { StoredRecord } from "./record-store";
import { removeRecord } from "./removal-store";
import { tellOfDeparture } from "./tell";
import { readPresent } from "./users";

const MAX_TRIES = 3;

/** Throws 404, and 409 for a record that others change all the time. */
export async function removeUser(
  deps: Deps,
  caller: DirectoryActor,
  first: { record: StoredRecord; own: DirectoryAccount | undefined },
): Promise<void> {
  let present = first;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const { record, own } = present;
    const removed = await removeRecord(deps, caller, record, deps.now());
    if (removed) {
      if (record.state === "active") tellOfDeparture(deps, caller, own ?? null, removed.together);
      return;
    }
    present = await readPresent(deps, caller, record.id);
  }
  throw new ScimError(409, "The resource was changed at the same time. Try again.");
}
