/** Creating and changing a subscription: the target is checked, the secret sealed. */
import { digest, encrypt } from "../crypto/encryption";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import type { TenantRef } from "../tenants/principal";
import { secretOwner } from "./secret";
import { insertSubscription, type SubscriptionRow, updateSubscription } from "./store";
import { refuseTarget } from "./target";

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
  tenant: TenantRef,
  input: SubscriptionInput,
): Promise<SubscriptionRow> {
  checkTarget(deps, input.url);
  const id = newId();
  const { name, url, enabled } = input;
  const secret = await sealSecret(deps, id, input.secret);
  return insertSubscription(deps, tenant, { id, name, url, events: input.events, ...secret, enabled }, deps.now());
}

/** Changes the fields that are given. Throws VALIDATION_FAILED for a target that may not be called, NOT_FOUND. */
export async function changeSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  { secret, ...fields }: { [K in keyof SubscriptionInput]?: SubscriptionInput[K] | undefined },
): Promise<SubscriptionRow> {
  if (fields.url !== undefined) checkTarget(deps, fields.url);
  const sealed = secret === undefined ? {} : await sealSecret(deps, id, secret);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const row = await updateSubscription(deps, tenant, id, { ...given, ...sealed }, deps.now());
  if (!row) throw notFound("Webhook");
  return row;
}

async function sealSecret(deps: Deps, id: string, secret: string) {
  const owner = secretOwner(id);
  return {
    secretSealed: await encrypt(deps.keys, owner, secret),
    secretDigest: await digest(deps.keys, owner, secret),
  };
}

function checkTarget(deps: Deps, url: string): void {
  const refusal = refuseTarget(url, deps.config.webhookEgress);
  if (refusal) throw new AppError("VALIDATION_FAILED", { details: [{ path: "url", message: refusal }] });
}
