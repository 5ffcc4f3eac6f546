/** What only the write of a sign-on would notice, in D1: for a test, which writes nothing. */
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { addressOfNewUser } from "../../identity/addresses-store";
import type { SignedOn } from "../signed-on";
import type { SignOnVerdict } from "./judge";
import { hasRoom } from "./membership-store";

/** Null: nothing is in the way. */
export async function findObstacle(
  deps: Deps,
  { tenantId, email }: Pick<SignedOn, "tenantId" | "email">,
  { account, joinsAs }: Pick<SignOnVerdict, "account" | "joinsAs">,
  nowMs: number,
): Promise<"cap" | "address_taken" | null> {
  const found = await queryFirst<{ hasRoom: 0 | 1; isReserved: 0 | 1 }>(deps.db)`SELECT
    ${hasRoom(deps, tenantId)} AS hasRoom, ${addressOfNewUser(email ?? "", nowMs)} IS NULL AS isReserved`;
  if (account === null && found?.isReserved === 1) return "address_taken";
  return joinsAs !== null && found?.hasRoom === 0 ? "cap" : null;
}
