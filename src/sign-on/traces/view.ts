/** A trace as the API and the console show it. */
import { decrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { iso } from "../../base/time";
import { isReason, messageOf, NOT_BACK, type ReasonFacts } from "../refused";
import { traceOwner } from "../sealed";
import type { TraceView, Would } from "./schemas";
import type { TraceRow } from "./store";

/** IdpClaims whose key is gone from SECRET_KEYS are not shown. */
export async function traceView(deps: Pick<Deps, "keys">, row: TraceRow): Promise<TraceView> {
  const { id, kind, outcome, step, reason, facts, would } = row;
  const known = facts === null ? {} : (JSON.parse(facts) as ReasonFacts);
  return {
    id,
    at: iso(row.at),
    kind,
    outcome,
    step,
    reason,
    message: outcome === "started" ? NOT_BACK : reason !== null && isReason(reason) ? messageOf(reason, known) : null,
    claims: await claimsOf(deps, row),
    would: would === null ? null : (JSON.parse(would) as Would),
  };
}

async function claimsOf({ keys }: Pick<Deps, "keys">, { connectionId, claimsSealed }: TraceRow) {
  if (claimsSealed === null) return null;
  try {
    return JSON.parse(await decrypt(keys, traceOwner(connectionId), claimsSealed)) as Record<string, unknown>;
  } catch {
    return null;
  }
}
