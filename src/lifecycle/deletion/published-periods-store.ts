/** When tenants published in a database. `publishers` notes the days, so that a purge reads no events of other days. */
import { type Db, jsonList, query } from "../../base/db/client";
import { timeOfId } from "../../base/db/ids";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time";

/** From a time to before another one, Unix ms. */
export interface PublishedPeriod {
  fromMs: number;
  toMs: number;
}

/** The days that a row of `publishers` has: those of the bits of a positive number of SQLite. */
const NOTED_DAYS = 63;
const BITS = JSON.stringify(Array.from({ length: NOTED_DAYS }, (_, bit) => bit));
/** An event's day is that of its time, its place that of its id. They are less than this apart. */
const APART_MS = HOUR_MS;

interface Publisher {
  tenantId: string;
  /** When it published for the first time, Unix ms. */
  since: number;
  newestDay: number;
  /** JSON: the days on which it published, since the epoch. */
  days: string;
}

/** Returns the periods in which these tenants published, in order and apart from each other. */
export async function publishedIn(db: Db, tenantIds: readonly string[], nowMs: number): Promise<PublishedPeriod[]> {
  const found = await query<Publisher>(db)`SELECT tenant_id AS tenantId, since, newest_day AS newestDay,
      (SELECT json_group_array(newest_day - bit.value) FROM json_each(${BITS}) bit
        WHERE (days >> bit.value) & 1) AS days
    FROM publishers WHERE tenant_id = '' OR tenant_id IN (SELECT value FROM json_each(${jsonList(tenantIds)}))`;
  const publishers = new Map(found.map((publisher) => [publisher.tenantId, publisher]));
  const noted = publishers.get("");
  return merged(
    tenantIds.flatMap((tenantId) => periodsOf(tenantId, publishers.get(tenantId), noted)),
    nowMs + APART_MS,
  );
}

/**
 * When a tenant published. Publishers and their days are noted since the time and the day of `noted`, so before that, a
 * tenant may have published at any time.
 */
function periodsOf(
  tenantId: string,
  publisher: Publisher | undefined,
  noted: Publisher | undefined,
): PublishedPeriod[] {
  const notedSinceMs = noted?.since ?? Infinity;
  const madeMs = timeOfId(tenantId);
  if (!publisher) return madeMs <= notedSinceMs ? [{ fromMs: madeMs, toMs: notedSinceMs + APART_MS }] : [];
  const fromMs = madeMs <= notedSinceMs ? madeMs : publisher.since - MINUTE_MS;
  const firstNotedDay = Math.max((noted?.newestDay ?? Infinity) + 1, publisher.newestDay - NOTED_DAYS + 1);
  const days = (JSON.parse(publisher.days) as number[]).map((day) => ({
    fromMs: Math.max(fromMs, day * DAY_MS - APART_MS),
    toMs: (day + 1) * DAY_MS + APART_MS,
  }));
  return [{ fromMs, toMs: firstNotedDay * DAY_MS + APART_MS }, ...days];
}

/** Joins periods that overlap, and cuts them at a time. */
function merged(periods: readonly PublishedPeriod[], endMs: number): PublishedPeriod[] {
  const cut = periods.map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs, endMs) }));
  const joined: PublishedPeriod[] = [];
  for (const { fromMs, toMs } of cut.filter((one) => one.fromMs < one.toMs).sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}
