/** Creating and changing a subscription: both check the URL and encrypt the secret. */
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

/** Creates a subscription and returns it. Throws VALIDATION_FAILED for a URL that may not be called. */
export async function createSubscription(
  deps: Deps,
  tenant: TenantRef,
  input: SubscriptionInput,
): Promise<SubscriptionRow> {
  checkTarget(deps, input.url);
  const id = newId();
  const { name, url, enabled } = input;
  const secret = await encryptSecret(deps, id, input.secret);
  return insertSubscription(deps, tenant, { id, name, url, events: input.events, ...secret, enabled }, deps.now());
}

/** Changes the given fields and returns the whole subscription. Throws NOT_FOUND, and VALIDATION_FAILED for a URL that may not be called. */
export async function changeSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  { secret, ...fields }: { [K in keyof SubscriptionInput]?: SubscriptionInput[K] | undefined },
): Promise<SubscriptionRow> {
  if (fields.url !== undefined) checkTarget(deps, fields.url);
  const encrypted = secret === undefined ? {} : await encryptSecret(deps, id, secret);
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const row = await updateSubscription(deps, tenant, id, { ...given, ...encrypted }, deps.now());
  if (!row) throw notFound("Webhook");
  return row;
}

async function encryptSecret(deps: Deps, id: string, secret: string) {
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
