/** Encrypts every secret with the newest key of `SECRET_KEYS` after a rotation, so that the old key can be removed. */
import { decrypt, encrypt } from "../../platform/crypto/encryption";
import type { Db } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import { log } from "../../platform/log";
import { CONTROL_COLUMNS, DELIVERY_COLUMNS, type OwnedColumn } from "./columns";
import { type EncryptedRow, findRowsUnderOtherKeys, noteKeyCheck, readKeyCheck, replaceCiphertexts } from "./store";

const PAGE_ROWS = 200;
/** Limits one run. The next one starts an hour later. */
const MAX_PAGES = 50;

/**
 * Runs every hour: re-encrypts what old keys encrypted. Does nothing while there is only one key and no secret needs
 * another.
 */
export async function rekey(deps: Deps): Promise<void> {
  const check = await readKeyCheck(deps);
  if (deps.keys.length > 1 || check.ring !== ringOf(deps) || check.missing !== NONE) await rekeyAll(deps);
}

/**
 * Runs every minute: does the same at once when SECRET_KEYS has changed, because a key may have been removed too early.
 */
export async function rekeyAfterChange(deps: Deps): Promise<void> {
  if ((await readKeyCheck(deps)).ring !== ringOf(deps)) await rekeyAll(deps);
}

const NONE = "[]";
const ringOf = ({ keys }: Deps): string => keys.map(({ id }) => id).join(",");

/** Re-encrypts, notes which keys are missing, and logs when nothing is left. */
async function rekeyAll(deps: Deps): Promise<void> {
  let done = true;
  const missing = new Set<string>();
  const ofDatabase = async (db: Db, columns: readonly OwnedColumn[]) => {
    for (const column of columns) done = (await rekeyColumn(deps, db, column, missing)) && done;
  };
  await ofDatabase(deps.db, CONTROL_COLUMNS);
  for (const shard of deps.shards.numbers) await ofDatabase(deps.shards.db(shard), DELIVERY_COLUMNS);
  await noteKeyCheck(deps, { ring: ringOf(deps), missing: JSON.stringify([...missing].sort()) });
  if (done && deps.keys.length > 1) log("info", "no secret is encrypted under an old key");
}

/**
 * Re-encrypts one column, and adds the keys that are missing to `missing`. Returns true when no row uses an old key any
 * more.
 */
async function rekeyColumn(deps: Deps, db: Db, column: OwnedColumn, missing: Set<string>): Promise<boolean> {
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
    for (const { encrypted } of found) {
      const [keyId = ""] = encrypted.split(".");
      if (deps.keys.every(({ id }) => id !== keyId)) missing.add(keyId);
    }
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
