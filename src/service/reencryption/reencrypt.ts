/** Encrypts every secret with the newest key of `SECRET_KEYS` after a rotation, so that the old key can be removed. */
import { decrypt, encrypt } from "../../base/crypto/encryption";
import { thenPause } from "../../base/db/paged-maintenance";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { CONTROL_COLUMNS, DELIVERY_COLUMNS, type OwnedColumn } from "./columns";
import { type EncryptedRow, noteKeyCheck, readKeyCheck, readRowsUnderOtherKeys, replaceCiphertexts } from "./store";

const PAGE_ROWS = 200;
const NONE = "[]";
const ringOf = ({ keys }: Deps): string => keys.map(({ id }) => id).join(",");

/** How far a pass over the encrypted columns of a database has come. */
interface Place {
  /** The position of the column. */
  column: number;
  /** The key of the last row that was read; null at the beginning of the column. */
  after: string[] | null;
  /** How many secrets of this column no key opens. */
  unreadable: number;
  /** The ids of keys that secrets need but SECRET_KEYS does not have. */
  missing: string[];
  /** Whether every secret so far is under the newest key. */
  isDone: boolean;
}

/**
 * Runs every hour: re-encrypts what old keys encrypted. Does nothing, except once a day, while there is only one key
 * and no secret needs another.
 */
export const reencrypt: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  if (cursor === "") {
    const { ring, missing, checkedAt } = await readKeyCheck(deps, shard);
    const isRecent = checkedAt > deps.now() - DAY_MS;
    if (isRecent && deps.keys.length === 1 && ring === ringOf(deps) && missing === NONE) return null;
  }
  return reencryptFrom(deps, shard, cursor, isOver);
};

/**
 * Runs every minute: does the same at once when SECRET_KEYS has changed, because a key may have been removed too early.
 */
export const reencryptAfterChange: PagedMaintenance = async (deps, shard, cursor, isOver) => {
  if (cursor === "" && (await readKeyCheck(deps, shard)).ring === ringOf(deps)) return null;
  return reencryptFrom(deps, shard, cursor, isOver);
};

const FIRST_PLACE: Place = { column: 0, after: null, unreadable: 0, missing: [], isDone: true };

/** Re-encrypts, and at the end notes which keys are missing and logs whether anything is left under an old key. */
async function reencryptFrom(deps: Deps, shard: number, cursor: string, isOver: () => boolean): Promise<string | null> {
  const columns = shard === 0 ? [...CONTROL_COLUMNS, ...DELIVERY_COLUMNS] : DELIVERY_COLUMNS;
  let place = cursor === "" ? FIRST_PLACE : (JSON.parse(cursor) as Place);
  for (let column = columns[place.column]; column !== undefined; column = columns[place.column]) {
    if (isOver()) return JSON.stringify(place);
    place = await thenPause(deps, () => reencryptPage(deps, shard, column, place));
  }
  await noteKeyCheck(deps, shard, {
    ring: ringOf(deps),
    missing: JSON.stringify(place.missing),
    checkedAt: deps.now(),
  });
  if (place.isDone && deps.keys.length > 1) log("info", "no secret is encrypted under an old key", { shard });
  return null;
}

/** Re-encrypts a page of a column. Returns the place after it. */
async function reencryptPage(deps: Deps, shard: number, column: OwnedColumn, place: Place): Promise<Place> {
  const db = deps.shards.db(shard);
  const [newest] = deps.keys;
  const after = place.after ?? column.key.map(() => "");
  const found = await readRowsUnderOtherKeys(db, column, { keyId: newest.id, after, limit: PAGE_ROWS });
  const replacements = await Promise.all(found.map((row) => renewed(deps, column, row)));
  const changes = replacements.filter((change) => change !== null);
  if (changes.length > 0) await replaceCiphertexts(db, column, changes);
  const needed = found.map(({ encrypted }) => encrypted.split(".")[0] ?? "");
  const unknown = needed.filter((keyId) => deps.keys.every(({ id }) => id !== keyId));
  const missing = [...new Set([...place.missing, ...unknown])].sort();
  const unreadable = place.unreadable + found.length - changes.length;
  const last = found.at(-1);
  if (last && found.length === PAGE_ROWS) return { ...place, after: last.key, unreadable, missing };
  const { table } = column;
  if (unreadable > 0) log("error", "secrets encrypted under an unknown key", { shard, table, count: unreadable });
  const isDone = place.isDone && unreadable === 0;
  return { column: place.column + 1, after: null, unreadable: 0, missing, isDone };
}

/** Returns the row with its new ciphertext, or null if none of the keys decrypts it. */
async function renewed(deps: Deps, { ownerOf }: OwnedColumn, row: EncryptedRow) {
  const owner = ownerOf(...row.key);
  try {
    return { ...row, replacement: await encrypt(deps.keys, owner, await decrypt(deps.keys, owner, row.encrypted)) };
  } catch {
    return null;
  }
}
