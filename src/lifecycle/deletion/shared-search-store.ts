/**
 * One search for all purges that wait for it, of what no index leads to: an index by tenant would cost a written row
 * for each event. Of the events, it reads those of the days on which the tenants published.
 */
import { sql } from "drizzle-orm";
import { type Db, jsonList, query } from "../../base/db/client";
import { type Keyed, type Search, searchPage } from "../../base/db/table-search";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { databasesOf, EXAMINED_ROWS, PAGE_ROWS } from "./pages-store";
import { type PublishedPeriod, publishedIn } from "./published-periods-store";
import type { Purge } from "./purge-store";
import type { Step } from "./steps";

/** Of the purges that one search serves. */
const MAX_TENANTS = 200;
/** The cursor of a purge whose rows another one's search has removed. */
const SERVED = "served";

/** The search of the purge that leads it, in its cursor. */
interface SharedSearch {
  tenantIds: string[];
  /** When they published; those that are searched are gone. The former release had `sinceMs`. */
  periods?: PublishedPeriod[];
  sinceMs?: number;
  /** The cursor of `searchPage`. */
  after: string;
}

/** Searches a table with a column `tenant_id`. `table` gets a period in which the tenants published. */
export const searchingForAll = (
  name: string,
  where: "shard" | "former",
  table: (period: PublishedPeriod) => Keyed & Pick<Search, "first" | "end">,
): Step => ({
  name: `${name}, ${where}`,
  page: async (deps, purge, cursor) => {
    const [db] = databasesOf(deps, purge, where);
    if (!db || cursor === SERVED) return "done";
    const search = cursor === "" ? await begin(deps, db, purge, where, `${name}, ${where}`) : parse(cursor, deps.now());
    if (search === "done") return "done";
    if (search === "wait") return { notBefore: deps.now() + MINUTE_MS };
    const [period, ...others] = search.periods;
    if (period) {
      const condition = sql`tenant_id IN (SELECT value FROM json_each(${jsonList(search.tenantIds)}))`;
      const sizes = { examined: EXAMINED_ROWS, changed: PAGE_ROWS };
      const searched = { ...table(period), columns: ["tenant_id"], condition };
      const { next } = await searchPage(db, searched, search.after, sizes);
      if (next !== null) return { cursor: JSON.stringify({ ...search, after: next }) };
      // A table without an end is read as a whole.
      if (searched.end && others.length > 0)
        return { cursor: JSON.stringify({ ...search, periods: others, after: "" }) };
    }
    await noteServed(deps, `${name}, ${where}`, search.tenantIds);
    return "done";
  },
});

type Begun = Required<Omit<SharedSearch, "sinceMs">>;

function parse(cursor: string, nowMs: number): Begun {
  const { periods, sinceMs = 0, ...search } = JSON.parse(cursor) as SharedSearch;
  return { ...search, periods: periods ?? [{ fromMs: sinceMs, toMs: nowMs }] };
}

/**
 * Leads a search for this purge and all that wait at the same step in the same database; "wait" while another one
 * leads.
 */
async function begin(
  { db: control, now }: Deps,
  db: Db,
  purge: Purge,
  where: "shard" | "former",
  step: string,
): Promise<Begun | "wait" | "done"> {
  if ((await publishedIn(db, [purge.subjectId], now())).length === 0) return "done";
  const isHere = where === "shard" ? sql`shard IS ${purge.shard}` : sql`former_shard IS ${purge.formerShard}`;
  const all = await query<{ subjectId: string; cursor: string }>(control)`
    SELECT subject_id AS subjectId, cursor FROM purges WHERE kind = 'tenant' AND step = ${step} AND ${isHere}
    ORDER BY cursor DESC, id LIMIT ${MAX_TENANTS}`;
  const own = all.find(({ subjectId }) => subjectId === purge.subjectId);
  if (own?.cursor === SERVED) return "done";
  if (all.some(({ cursor }) => cursor !== "" && cursor !== SERVED)) return "wait";
  const waiting = all.filter(({ cursor }) => cursor === "").map(({ subjectId }) => subjectId);
  const tenantIds = [...new Set([purge.subjectId, ...waiting])];
  return { tenantIds, periods: await publishedIn(db, tenantIds, now()), after: "" };
}

async function noteServed({ db, now }: Deps, step: string, tenantIds: readonly string[]): Promise<void> {
  await query(db)`UPDATE purges SET cursor = ${SERVED}, run_at = min(run_at, ${now()}) WHERE kind = 'tenant'
    AND step = ${step} AND cursor = '' AND subject_id IN (SELECT value FROM json_each(${jsonList(tenantIds)}))`;
}
