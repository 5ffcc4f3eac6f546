/** Encrypts every secret with the newest key of `SECRET_KEYS` after a rotation, so that the old key can be removed. */
import { decrypt, encrypt } from "../crypto/encryption";
import type { Db } from "../db/client";
import type { Deps } from "../deps";
import { log } from "../log";
import { CONTROL_COLUMNS, DELIVERY_COLUMNS, type OwnedColumn } from "./columns";
import { type EncryptedRow, findRowsUnderOtherKeys, replaceCiphertexts } from "./store";

const PAGE_ROWS = 200;
/** Limits one run. The next one starts an hour later. */
const MAX_PAGES = 50;

/** Re-encrypts what old keys encrypted. Logs when nothing is left. Does nothing while there is only one key. */
export async function rekey(deps: Deps): Promise<void> {
  if (deps.keys.length < 2) return;
  let done = true;
  const rekeyAll = async (db: Db, columns: readonly OwnedColumn[]) => {
    for (const column of columns) done = (await rekeyColumn(deps, db, column)) && done;
  };
  await rekeyAll(deps.db, CONTROL_COLUMNS);
  for (const shard of deps.shards.numbers) await rekeyAll(deps.shards.db(shard), DELIVERY_COLUMNS);
  if (done) log("info", "no secret is encrypted under an old key");
}

/** Re-encrypts one column. Returns true when no row uses an old key any more. */
async function rekeyColumn(deps: Deps, db: Db, column: OwnedColumn): Promise<boolean> {
  const [newest] = deps.keys;
  const { table } = column;
  let unreadable = 0;
  let after = column.key.map(() => "");
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await findRowsUnderOtherKeys(db, column, { keyId: newest.id, after, limit: PAGE_ROWS });
    const replacements = await Promise.all(found.map((row) => reencrypt(deps, column, row)));
    const changes = replacements.filter((change) => change !== null);
    if (changes.length > 0) await replaceCiphertexts(db, column, changes);
    unreadable += found.length - changes.length;
    const last = found.at(-1);
    if (found.length < PAGE_ROWS || last === undefined) {
      if (unreadable > 0) log("error", "secrets encrypted under an unknown key", { table, count: unreadable });
      return unreadable === 0;
    }
    after = last.key;
  }
  return false;
}

/** Returns the row with its new ciphertext, or null if none of the keys decrypts it. */
async function reencrypt(deps: Deps, { ownerOf }: OwnedColumn, row: EncryptedRow) {
  const owner = ownerOf(...row.key);
  try {
    return { ...row, replacement: await encrypt(deps.keys, owner, await decrypt(deps.keys, owner, row.encrypted)) };
  } catch {
    return null;
  }
}
