/** Creating and changing a subscription: both check the URL and encrypt the secret. */
import { newKeyPair } from "../crypto/ed25519";
import { digest, encrypt } from "../crypto/encryption";
import { newId } from "../db/ids";
import type { Deps } from "../deps";
import { AppError, emailNotVerified, notFound } from "../errors";
import { capReached } from "../ratelimit/caps";
import { isOnTrial } from "../ratelimit/reserve";
import { secretOwner, signingKeyOwner } from "../signing-keys/keys";
import type { TenantRef, TenantStanding } from "../tenants/principal";
import { type DeliveryChange, optionsPatch, refuseOptions } from "./delivery-options";
import { insertSubscription, type SubscriptionRow, updateSubscription } from "./store";
import { refuseTarget } from "./target";

export interface SubscriptionInput {
  name: string;
  url: string;
  events: string[];
  secret: string;
  enabled: boolean;
  delivery?: DeliveryChange | null | undefined;
}

/**
 * Creates a subscription and returns it. Throws VALIDATION_FAILED for a URL that may not be called or an option that this deployment does
 * not allow, and at the cap CONFLICT, or EMAIL_NOT_VERIFIED for a tenant without a verified owner.
 */
export async function createSubscription(
  deps: Deps,
  tenant: TenantRef & TenantStanding,
  input: SubscriptionInput,
): Promise<SubscriptionRow> {
  checkTarget(deps, input.url);
  checkOptions(deps, input.delivery);
  const id = newId();
  const { name, url, enabled } = input;
  const options = input.delivery ? optionsPatch(input.delivery) : undefined;
  const secret = await encryptSecret(deps, id, input.secret);
  const publicKey = await publicKeyFor(deps, id, input.delivery);
  const subscription = { id, name, url, events: input.events, ...secret, enabled, options, publicKey };
  const { caps } = deps.config;
  const onTrial = isOnTrial(deps, tenant);
  const most = onTrial ? Math.min(caps.trialSubscriptions, caps.subscriptions) : caps.subscriptions;
  const row = await insertSubscription(deps, tenant, subscription, most, deps.now());
  if (!row) throw onTrial ? emailNotVerified() : capReached("subscriptions", caps);
  return row;
}

/**
 * Changes the given fields, and the given members of `delivery`. Returns the whole subscription. Throws NOT_FOUND, and VALIDATION_FAILED
 * as `createSubscription` does.
 */
export async function changeSubscription(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  { secret, delivery, ...fields }: { [K in keyof SubscriptionInput]?: SubscriptionInput[K] | undefined },
): Promise<SubscriptionRow> {
  if (fields.url !== undefined) checkTarget(deps, fields.url);
  checkOptions(deps, delivery);
  const options = delivery === undefined ? undefined : optionsPatch(delivery);
  const publicKey = await publicKeyFor(deps, id, delivery);
  const encrypted = secret === undefined ? {} : await encryptSecret(deps, id, secret);
  const given = Object.fromEntries(
    Object.entries({ ...fields, options, publicKey }).filter(([, value]) => value !== undefined),
  );
  const row = await updateSubscription(deps, tenant, id, { ...given, ...encrypted }, deps.now());
  if (!row) throw notFound("Webhook");
  return row;
}

/** Returns the columns of a subscription that store its secret: the ciphertext and the digest. */
export async function encryptSecret(deps: Deps, id: string, secret: string) {
  const owner = secretOwner(id);
  return {
    secretSealed: await encrypt(deps.keys, owner, secret),
    secretDigest: await digest(deps.keys, owner, secret),
  };
}

/** Returns a new Ed25519 key if the change asks for one. The store ignores it if the subscription already has one. */
async function publicKeyFor(deps: Deps, subscriptionId: string, change: DeliveryChange | null | undefined) {
  if (change?.signature !== "v1+v1a") return undefined;
  const { privateKey, publicKey } = await newKeyPair();
  const id = newId();
  return { id, sealed: await encrypt(deps.keys, signingKeyOwner(subscriptionId, id), privateKey), publicKey };
}

function checkTarget(deps: Deps, url: string): void {
  const refusal = refuseTarget(url, deps.config.webhookEgress);
  if (refusal) throw new AppError("VALIDATION_FAILED", { details: [{ path: "url", message: refusal }] });
}

function checkOptions(deps: Deps, change: DeliveryChange | null | undefined): void {
  const refused = change ? refuseOptions(change, deps.config.retentionDays) : [];
  if (refused.length > 0) throw new AppError("VALIDATION_FAILED", { details: refused });
}
