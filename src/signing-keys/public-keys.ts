/** The public keys with which a subscriber verifies `v1a` signatures. */
import { publicJwk, publicKeyText } from "../crypto/ed25519";
import type { Deps } from "../deps";
import { notFound } from "../errors";
import type { WebhookKeySet } from "./schemas";
import { type PublicKeyRow, readPublicKeys } from "./store";

/**
 * The public keys of a subscription, newest first, those that sign soon or have signed lately included. A subscription's id does not
 * tell its delivery database, and putting it into the URL would publish where a tenant lives, so all are asked at once. Throws
 * NOT_FOUND, the same for an unknown id and for a subscription without such keys, and the error of a database when no other has the keys.
 */
export async function publicKeysOf({ shards, now }: Deps, subscriptionId: string): Promise<WebhookKeySet> {
  const nowMs = now();
  const answers = await Promise.allSettled(
    shards.numbers.map((shard) => readPublicKeys(shards.db(shard), subscriptionId, nowMs)),
  );
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return keySetOf(found);
  const failed = answers.find((answer) => answer.status === "rejected");
  throw failed ? failed.reason : notFound("Public keys");
}

async function keySetOf(found: readonly PublicKeyRow[]): Promise<WebhookKeySet> {
  const keys = found.map(async ({ publicKey, expiresAt }) => ({
    ...(await publicJwk(publicKey)),
    ...(expiresAt === null ? {} : { exp: Math.ceil(expiresAt / 1000) }),
  }));
  return { keys: await Promise.all(keys), whpk: found.map(({ publicKey }) => publicKeyText(publicKey)) };
}
