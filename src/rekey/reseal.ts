/** After a rotation of `SECRET_KEYS`: what an old key sealed is sealed anew, so that the old key can be taken out. */
import { open, seal } from "../crypto/seal";
import type { Deps } from "../deps";
import { log } from "../log";
import { secretOwner } from "../subscriptions/secret";
import { totpOwner } from "../two-factor/codes";
import { findSealedUnderOtherKeys, replaceSealed, type SealedRow, type SealedTable } from "./store";

const PAGE_ROWS = 200;
/** Bounds one run; the next comes an hour later. */
const MAX_PAGES = 50;
const OWNER_OF: Record<SealedTable, (id: string) => string> = { subscriptions: secretOwner, users: totpOwner };

/** Does nothing while there is one key. Logs what it did, and once nothing is left under an old key, that too. */
export async function rekey(deps: Deps): Promise<void> {
  if (deps.keys.length < 2) return;
  let done = true;
  for (const table of ["subscriptions", "users"] as const) {
    done = (await rekeyTable(deps, table)) && done;
  }
  if (done) log("info", "nothing is sealed under an old key");
}

/** True when nothing of the table is left under an old key. */
async function rekeyTable(deps: Deps, table: SealedTable): Promise<boolean> {
  const [newest] = deps.keys;
  let unreadable = 0;
  let afterId = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const rows = await findSealedUnderOtherKeys(deps, table, { keyId: newest.id, afterId, limit: PAGE_ROWS });
    const opened = await Promise.all(rows.map((row) => reseal(deps, table, row)));
    const changes = opened.filter((change) => change !== null);
    if (changes.length > 0) await replaceSealed(deps, table, changes);
    unreadable += rows.length - changes.length;
    if (rows.length < PAGE_ROWS) {
      if (unreadable > 0) log("error", "sealed under a key that SECRET_KEYS lacks", { table, count: unreadable });
      return unreadable === 0;
    }
    afterId = rows.at(-1)?.id ?? afterId;
  }
  return false;
}

async function reseal(deps: Deps, table: SealedTable, row: SealedRow) {
  const owner = OWNER_OF[table](row.id);
  try {
    return { ...row, resealed: await seal(deps.keys, owner, await open(deps.keys, owner, row.sealed)) };
  } catch {
    return null;
  }
}
