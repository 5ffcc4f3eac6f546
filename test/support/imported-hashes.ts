/** Imported hashes of people in the database. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { encrypt } from "../../src/base/crypto/encryption";
import { createDeps } from "../../src/base/deps";
import { type GivenHash, tagHash } from "../../src/identity/passwords/imported/read";
import { hashSettingsOwner } from "../../src/identity/passwords/imported/settings";

/** The example in the README of github.com/firebase/scrypt. */
export const FIREBASE = {
  password: "user1password",
  hash: {
    kind: "firebase-scrypt",
    salt: "42xEC+ixf3L2lw==",
    hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
  },
  settings: {
    signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    saltSeparator: "Bw==",
    rounds: 8,
    memCost: 14,
  },
} as const;

/** Gives the person this hash in place of their password. */
export async function storeHash(userId: string, hash: GivenHash, importId: string = crypto.randomUUID()) {
  const stored = tagHash(hash, { importId, firebase: FIREBASE.settings });
  await env.DB.prepare("UPDATE users SET password_hash = ? WHERE id = ?").bind(stored, userId).run();
}

/** Gives the person the hash of Firebase's example. */
export async function storeFirebaseHash(userId: string): Promise<void> {
  const { keys } = await createDeps(env, createExecutionContext());
  const id = crypto.randomUUID();
  const sealed = await encrypt(keys, hashSettingsOwner(id), JSON.stringify(FIREBASE.settings));
  await env.DB.prepare("INSERT INTO hash_settings (id, sealed, created_at) VALUES (?, ?, 0)").bind(id, sealed).run();
  await storeHash(userId, FIREBASE.hash, id);
}
