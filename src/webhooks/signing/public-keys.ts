/** The public keys that verify `v1a` signatures. */
import { publicJwk, publicKeyText } from "../../base/crypto/ed25519";
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { WebhookKeySet } from "./schemas";
import { type PublicKeyRow, readPublicKeys } from "./store";

/**
 * Returns the public keys of a subscription, newest first, including those that will sign soon and former ones that
 * have not ended. Reads every delivery database in parallel, because the id does not reveal which one has the
 * subscription, and the URL should not either. Throws NOT_FOUND, both for an unknown id and for a subscription without
 * such keys. If a database is down and no other has the keys, throws its error.
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
