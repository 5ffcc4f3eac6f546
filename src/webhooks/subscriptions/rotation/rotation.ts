/**
 * Rotating the signing keys of a subscription. For a while, deliveries have the signatures of both the new key and the
 * old one.
 */

import { newKeyPair } from "../../../base/crypto/ed25519";
import { decrypt, encrypt } from "../../../base/crypto/encryption";
import { isBase64Key } from "../../../base/crypto/webhook-signature";
import { newId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { AppError, changedMeanwhile, invalidField, orNotFound } from "../../../base/errors";
import { refuseOverLimit } from "../../../base/limits/limiter";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { MINUTE_MS } from "../../../base/time";
import { needsBase64Secret } from "../../options/signature-profile";
import { secretOwner, signingKeyOwner } from "../../signing/keys";
import { newSecret } from "../../signing/secret";
import { encryptSecret, whyUnchanged } from "../changes";
import { listenerUnchanged } from "../listener-unchanged";
import { findSubscription, type SubscriptionRow } from "../store";
import type { Rotation } from "./schemas";
import { endFormer, MAX_FORMER_KEYS, newestKeyId, type RotationOutcome, replaceKey, replaceSecret } from "./store";

/**
 * A new public key is published this long before it signs: a cached key set may be 10 minutes old, and subscribers may
 * keep it 10 more.
 */
const PUBLISHED_AHEAD_MS = 20 * MINUTE_MS;

/** A subscription after a rotation, and when the former keys of the rotated kind end (Unix ms), newest first. */
export interface Rotated {
  row: SubscriptionRow;
  formerExpireAt: number[];
}

/**
 * Gives the subscription a new key. Throws NOT_FOUND, VALIDATION_FAILED for the present secret and for `v1a` without
 * public keys, CONFLICT when there are already three former keys or another rotation happens at the same time, and
 * RATE_LIMITED.
 */
export async function rotate(deps: Deps, tenant: ActingIn, id: string, asked: Rotation): Promise<Rotated> {
  const row = orNotFound(await findSubscription(deps, tenant, id), "Webhook");
  if (row.isListener) throw listenerUnchanged();
  const verdict = await deps.limiter.consume("rotateSecret", `${tenant.tenantId}:${id}`);
  refuseOverLimit(verdict);
  try {
    const rotated = asked.kind === "v1a" ? rotateKey(deps, tenant, row, asked) : rotateSecret(deps, tenant, row, asked);
    return await rotated;
  } catch (error) {
    // The limit counts rotations, not failed calls.
    if (verdict && error instanceof AppError) {
      const unused = { leavesAtMs: verdict.leavesAtMs, units: 1 };
      deps.background("rate limit", deps.limiter.giveBack("rotateSecret", `${tenant.tenantId}:${id}`, unused));
    }
    throw error;
  }
}

async function rotateSecret(
  deps: Deps,
  tenant: ActingIn,
  row: SubscriptionRow,
  { secret = newSecret(), overlapSeconds }: Rotation,
): Promise<Rotated> {
  const { id } = row;
  const former = await decrypt(deps.keys, secretOwner(id), row.secretSealed);
  if (former === secret) throw invalidField("secret", "Must differ from the present secret");
  const isBase64 = isBase64Key(secret);
  if (needsBase64Secret(row.options?.signatureProfile) && !isBase64) {
    throw invalidField("secret", "The signature profile needs a secret in base64");
  }
  const nowMs = deps.now();
  const formerId = newId();
  const sealed = overlapSeconds === 0 ? "" : await encrypt(deps.keys, signingKeyOwner(id, formerId), former);
  const outcome = await replaceSecret(
    deps,
    tenant,
    id,
    {
      expectedSealed: row.secretSealed,
      ...(await encryptSecret(deps, id, secret)),
      isBase64,
      former: { id: formerId, sealed, expiresAt: nowMs + overlapSeconds * 1000 },
    },
    nowMs,
  );
  return finish(deps, tenant, id, outcome, "old secrets");
}

async function rotateKey(
  deps: Deps,
  tenant: ActingIn,
  { id, options }: SubscriptionRow,
  { overlapSeconds }: Rotation,
): Promise<Rotated> {
  const newest = options?.signature === "v1+v1a" ? await newestKeyId(deps, tenant, id) : undefined;
  if (!newest) throw invalidField("kind", 'Set delivery.signature to "v1+v1a" first');
  const nowMs = deps.now();
  const startsAt = nowMs + PUBLISHED_AHEAD_MS;
  const { privateKey, publicKey } = await newKeyPair();
  const keyId = newId();
  const sealed = await encrypt(deps.keys, signingKeyOwner(id, keyId), privateKey);
  const next = { id: keyId, sealed, publicKey, startsAt };
  const formerExpiresAt = startsAt + overlapSeconds * 1000;
  const outcome = await replaceKey(deps, tenant, id, { expectedId: newest, next, formerExpiresAt }, nowMs);
  return finish(deps, tenant, id, outcome, "old public keys");
}

async function finish(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  outcome: RotationOutcome,
  what: string,
): Promise<Rotated> {
  if (outcome.state === "too many") {
    throw new AppError("CONFLICT", {
      message: `A subscription can have at most ${MAX_FORMER_KEYS} ${what}. Wait until one ends, or end them.`,
    });
  }
  if (outcome.state === "changed meanwhile") {
    throw changedMeanwhile("subscription");
  }
  const row = orNotFound(await findSubscription(deps, tenant, id), "Webhook");
  return { row, formerExpireAt: outcome.formerExpireAt };
}

/** Ends all former keys of the subscription at once, for example after a leak. Throws NOT_FOUND. */
export async function endFormerKeysOf(deps: Deps, tenant: ActingIn, id: string): Promise<void> {
  if (!(await endFormer(deps, tenant, id, deps.now()))) throw await whyUnchanged(deps, tenant, id);
}
