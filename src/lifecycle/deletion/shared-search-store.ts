/**
 * One search of a whole table for all purges that wait for it. An index by tenant would cost a written row for each
 * event. Nothing is searched for tenants that never had an event.
 */
import { sql } from "drizzle-orm";
import { type Db, jsonList, query } from "../../base/db/client";
import { timeOfId } from "../../base/db/ids";
import { type Keyed, type Search, searchPage } from "../../base/db/table-search";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { databasesOf, EXAMINED_ROWS, PAGE_ROWS } from "./pages-store";
import type { Purge } from "./purge-store";
import type { Step } from "./steps";

/** Of the purges that one search serves. */
const MAX_TENANTS = 200;
/** The cursor of a purge whose rows another one's search has removed. */
const SERVED = "served";

/** The search of the purge that leads it, in its cursor. */
interface SharedSearch {
  tenantIds: string[];
  /** None of them published before this time, Unix ms. */
  sinceMs: number;
  /** The cursor of `searchPage`. */
  after: string;
}

/** Searches a table with a column `tenant_id`. `table` gets the time (Unix ms) before which nothing can be found. */
export const searchingForAll = (
  name: string,
  where: "shard" | "former",
  table: (sinceMs: number) => Keyed & Pick<Search, "first">,
): Step => ({
  name: `${name}, ${where}`,
  page: async (deps, purge, cursor) => {
    const [db] = databasesOf(deps, purge, where);
    if (!db || cursor === SERVED) return "done";
    const search = cursor === "" ? await begin(deps, db, purge, where, `${name}, ${where}`) : parse(cursor);
    if (search === "done") return "done";
    if (search === "wait") return { notBefore: deps.now() + MINUTE_MS };
    const { tenantIds, sinceMs, after } = search;
    const condition = sql`tenant_id IN (SELECT value FROM json_each(${jsonList(tenantIds)}))`;
    const sizes = { examined: EXAMINED_ROWS, changed: PAGE_ROWS };
    const { next } = await searchPage(db, { ...table(sinceMs), columns: ["tenant_id"], condition }, after, sizes);
    if (next !== null) return { cursor: JSON.stringify({ ...search, after: next }) };
    await noteServed(deps, `${name}, ${where}`, tenantIds);
    return "done";
  },
});

const parse = (cursor: string): SharedSearch => JSON.parse(cursor) as SharedSearch;

/**
 * Leads a search for this purge and all that wait at the same step in the same database; "wait" while another one
 * leads.
 */
async function begin(
  { db: control }: Deps,
  db: Db,
  purge: Purge,
  where: "shard" | "former",
  step: string,
): Promise<SharedSearch | "wait" | "done"> {
  if ((await publishedFrom(db, [purge.subjectId])).size === 0) return "done";
  const isHere = where === "shard" ? sql`shard IS ${purge.shard}` : sql`former_shard IS ${purge.formerShard}`;
  const all = await query<{ subjectId: string; cursor: string }>(control)`
    SELECT subject_id AS subjectId, cursor FROM purges WHERE kind = 'tenant' AND step = ${step} AND ${isHere}
    ORDER BY cursor DESC, id LIMIT ${MAX_TENANTS}`;
  const own = all.find(({ subjectId }) => subjectId === purge.subjectId);
  if (own?.cursor === SERVED) return "done";
  if (all.some(({ cursor }) => cursor !== "" && cursor !== SERVED)) return "wait";
  const waiting = all.filter(({ cursor }) => cursor === "").map(({ subjectId }) => subjectId);
  const tenantIds = [...new Set([purge.subjectId, ...waiting])];
  const begun = await publishedFrom(db, tenantIds);
  return { tenantIds, sinceMs: Math.min(...begun.values()), after: "" };
}

/**
 * When these tenants published for the first time, Unix ms; those that never did are missing. One that is older than
 * the notes of it may have published from its creation on.
 */
async function publishedFrom(db: Db, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const found = await query<{ tenantId: string; since: number }>(db)`
    SELECT tenant_id AS tenantId, since FROM publishers WHERE tenant_id = ''
      OR tenant_id IN (SELECT value FROM json_each(${jsonList(tenantIds)}))`;
  const noted = new Map(found.map(({ tenantId, since }) => [tenantId, since]));
  const notedSince = noted.get("") ?? Infinity;
  return new Map(
    tenantIds.flatMap((tenantId) => {
      const [madeAt, since] = [timeOfId(tenantId), noted.get(tenantId)];
      if (madeAt <= notedSince) return [[tenantId, madeAt]];
      return since === undefined ? [] : [[tenantId, since - MINUTE_MS]];
    }),
  );
}

async function noteServed({ db, now }: Deps, step: string, tenantIds: readonly string[]): Promise<void> {
  await query(db)`UPDATE purges SET cursor = ${SERVED}, run_at = min(run_at, ${now()}) WHERE kind = 'tenant'
    AND step = ${step} AND cursor = '' AND subject_id IN (SELECT value FROM json_each(${jsonList(tenantIds)}))`;
}
