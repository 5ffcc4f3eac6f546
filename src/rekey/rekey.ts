/** Encrypts every secret with the newest key of `SECRET_KEYS` after a rotation, so that the old key can be removed. */
import { decrypt, encrypt } from "../crypto/encryption";
import type { Db } from "../db/client";
import type { Deps } from "../deps";
import { log } from "../log";
import { secretOwner } from "../subscriptions/secret";
import { totpOwner } from "../two-factor/codes";
import { type EncryptedRow, type EncryptedTable, findRowsUnderOtherKeys, replaceCiphertexts } from "./store";

const PAGE_ROWS = 200;
/** Limits one run. The next one starts an hour later. */
const MAX_PAGES = 50;
const OWNER_OF: Record<EncryptedTable, (id: string) => string> = { subscriptions: secretOwner, users: totpOwner };

/** Re-encrypts what old keys encrypted. Logs when nothing is left. Does nothing while there is only one key. */
export async function rekey(deps: Deps): Promise<void> {
  if (deps.keys.length < 2) return;
  let done = await rekeyTable(deps, deps.db, "users");
  for (const shard of deps.shards.numbers) {
    done = (await rekeyTable(deps, deps.shards.db(shard), "subscriptions")) && done;
  }
  if (done) log("info", "no secret is encrypted under an old key");
}

/** Re-encrypts one table. Returns true when no row uses an old key any more. */
async function rekeyTable(deps: Deps, db: Db, table: EncryptedTable): Promise<boolean> {
  const [newest] = deps.keys;
  let unreadable = 0;
  let afterId = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await findRowsUnderOtherKeys(db, table, { keyId: newest.id, afterId, limit: PAGE_ROWS });
    const replacements = await Promise.all(found.map((row) => reencrypt(deps, table, row)));
    const changes = replacements.filter((change) => change !== null);
    if (changes.length > 0) await replaceCiphertexts(db, table, changes);
    unreadable += found.length - changes.length;
    const lastId = found.at(-1)?.id;
    if (found.length < PAGE_ROWS || lastId === undefined) {
      if (unreadable > 0) log("error", "secrets encrypted under an unknown key", { table, count: unreadable });
      return unreadable === 0;
    }
    afterId = lastId;
  }
  return false;
}

/** Returns the row with its new ciphertext, or null if none of the keys decrypts it. */
async function reencrypt(deps: Deps, table: EncryptedTable, row: EncryptedRow) {
  const owner = OWNER_OF[table](row.id);
  try {
    return { ...row, replacement: await encrypt(deps.keys, owner, await decrypt(deps.keys, owner, row.encrypted)) };
  } catch {
    return null;
  }
}
