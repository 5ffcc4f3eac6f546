/** Creating a subscription: the target is checked, the secret sealed. */
import { seal } from "../crypto/seal";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { insertSubscription, type SubscriptionRow } from "./store";
import { refuseTarget } from "./target";
import { secretOwner } from "./view";

export interface SubscriptionInput {
  name: string;
  url: string;
  events: string[];
  secret: string;
  enabled: boolean;
}

/** Throws VALIDATION_FAILED for a target that may not be called. */
export async function createSubscription(
  deps: Deps,
  tenantId: string,
  input: SubscriptionInput,
): Promise<SubscriptionRow> {
  checkTarget(deps, input.url);
  const id = newId();
  const { name, url, enabled } = input;
  const secretSealed = await seal(deps.keys, secretOwner(id), input.secret);
  return insertSubscription(deps, tenantId, { id, name, url, events: input.events, secretSealed, enabled }, deps.now());
}

function checkTarget(deps: Deps, url: string): void {
  const refusal = refuseTarget(url, deps.config.webhookEgress);
  if (refusal) throw new AppError("VALIDATION_FAILED", { details: [{ path: "url", message: refusal }] });
}
