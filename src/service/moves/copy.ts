/** What a move copies while the tenant goes on to write: the feed, the numbers of order keys, the versions of types. */
import type { Db } from "../../base/db/client";
import { firstIdAt } from "../../base/db/ids";
import { MINUTE_MS } from "../../base/time";
import { copyPage, copyUsedNumbers, countLeft } from "./copy-pages-store";
import { copyVersions, revisionOf } from "./copy-versions-store";

/** How far the copy has come. What is missing has not begun. */
export interface Copied {
  /** The position of the last feed entry. */
  entries: string;
  /** The last order key; null: all. */
  numbers: string | null;
  /** The revision of the event types whose versions were copied last. */
  revision: number | null;
  /** The last event whose order key was looked at. Since then, numbers may have changed. */
  usedTo: string;
  /** Whether the copy is as near as it can come without the fence. */
  isNear: boolean;
}

/** A publish that has begun so long before has been written, or never is: its event has the id of its beginning. */
const UNDER_WAY_MS = MINUTE_MS;

const idBefore = (ms: number) => firstIdAt(ms - UNDER_WAY_MS);

/** Reads a cursor. One of a version before begins at the start: every page can be repeated. */
export function copiedOf(cursor: string, begunMs: number): Copied {
  if (cursor.startsWith("{")) return JSON.parse(cursor) as Copied;
  return { entries: "-1", numbers: "", revision: null, usedTo: idBefore(begunMs), isNear: false };
}

const VERSION_PAGES_PER_STEP = 4;

type Databases = readonly [from: Db, to: Db];

/** Copies the next page. */
export async function copyMore(databases: Databases, tenantId: string, copied: Copied, nowMs: number): Promise<Copied> {
  if (copied.numbers !== null) {
    const { last, hasMore } = await copyPage(databases, tenantId, "numbers", copied.numbers);
    return { ...copied, numbers: hasMore ? last : null };
  }
  if (copied.revision === null) {
    const revision = await revisionOf(databases[0], tenantId);
    return (await copyVersions(databases, tenantId, VERSION_PAGES_PER_STEP)) ? { ...copied, revision } : copied;
  }
  const entries = await copyPage(databases, tenantId, "entries", copied.entries);
  if (entries.hasMore) return { ...copied, entries: entries.last };
  const usedTo = await copyUsedNumbers(databases, tenantId, copied.usedTo);
  return { ...copied, entries: entries.last, usedTo: usedTo ?? idBefore(nowMs), isNear: usedTo === null };
}

/** Copies what came after `copied`. The fence stands. */
export async function copyTail(databases: Databases, tenantId: string, copied: Copied): Promise<void> {
  const copyRest = async (which: "entries", first: string) => {
    for (let key: string | null = first; key !== null; ) {
      const { last, hasMore } = await copyPage(databases, tenantId, which, key);
      key = hasMore ? last : null;
    }
  };
  const copyUsed = async () => {
    for (let id: string | null = copied.usedTo; id !== null; id = await copyUsedNumbers(databases, tenantId, id));
  };
  const copyTypes = async () => {
    if ((await revisionOf(databases[0], tenantId)) !== copied.revision) await copyVersions(databases, tenantId);
  };
  await Promise.all([copyRest("entries", copied.entries), copyUsed(), copyTypes()]);
}

/** How many rows are left to be copied. Each table counts for 100,000 at most. */
export async function countRowsLeft(from: Db, tenantId: string, copied: Copied): Promise<number> {
  const [entries, numbers] = await Promise.all([
    countLeft(from, tenantId, "entries", copied.entries),
    copied.numbers === null ? 0 : countLeft(from, tenantId, "numbers", copied.numbers),
  ]);
  return entries + numbers;
}
