/**
 * The feed of the platform: publishes what happens to users, tenants and members as events of the platform's tenant.
 * Its source is the audit log, where an event exists if and only if the change does, so a crash loses nothing. Runs
 * may overlap and be repeated: the id of an event is derived from that of its audit event.
 */
import { firstIdAt, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { PagedMaintenance } from "../../base/maintenance";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { MINUTE_MS } from "../../base/time";
import { excludedBy } from "../event-types/rules";
import { readFilter } from "../filters/stored";
import { sendOperational } from "../plane/operational";
import { Meter } from "../work/meter";
import { platformEventId } from "./event-id";
import { type Draft, draftsOf, subjectsOf } from "./payload";
import { findNew, publishPlatformEvents } from "./publish-store";
import { type PlatformSourceRow, readRecords, readSources } from "./source-store";

/** The audit events of one page. */
const PAGE_ROWS = 200;
/** An event is written within this time after its id was made, so younger events are read again. */
const SETTLED_AFTER_MS = 2 * MINUTE_MS;
/** While nothing happens, the position of the feed is stored this often. */
const NOTED_EVERY_MS = MINUTE_MS;

/** Whether anybody receives the events, and whether a run has stopped before it had published all of them. */
export type FeedState = "off" | "done" | "unfinished";

/** Publishes what was recorded since the last run, until `isOver`. */
export async function publishPlatform(deps: Deps, isOver: () => boolean): Promise<FeedState> {
  // Before all reads, which may miss what is recorded while they run.
  const settledMs = deps.now() - SETTLED_AFTER_MS;
  let fromId: string | null = null;
  while (!isOver()) {
    const { publishedTo, sources } = await readSources(deps, fromId, PAGE_ROWS);
    if (publishedTo === undefined) return "off";
    const { page, next } = wholeMilliseconds(sources);
    const reachedMs = next === null ? settledMs : Math.min(settledMs, timeOfId(next));
    await publishPage(deps, page, { publishedTo, reachedMs });
    if (next === null) return "done";
    fromId = next;
  }
  return "unfinished";
}

/** The same as a job of the upkeep. */
export const continuePlatformFeed: PagedMaintenance = async (deps, _shard, _cursor, isOver) =>
  (await publishPlatform(deps, isOver)) === "unfinished" ? "" : null;

/**
 * Returns the rows without the last millisecond if that may go on after them, because the order within a millisecond is
 * decided here. `next` is where the following page begins; null after the last one.
 */
function wholeMilliseconds(sources: readonly PlatformSourceRow[]): {
  page: readonly PlatformSourceRow[];
  next: string | null;
} {
  const last = sources.at(-1);
  if (!last || sources.length < PAGE_ROWS) return { page: sources, next: null };
  const lastMs = timeOfId(last.id);
  const before = sources.filter(({ id }) => timeOfId(id) < lastMs);
  if (before.length > 0) return { page: before, next: firstIdAt(lastMs) };
  return { page: sources, next: `${last.id}~` };
}

/** Where the feed was before a page and where it is after it, Unix ms. */
interface Progress {
  publishedTo: number;
  reachedMs: number;
}

/** Publishes a page. Without news, it only stores the position of the feed now and then. */
async function publishPage(
  deps: Deps,
  page: readonly PlatformSourceRow[],
  { publishedTo, reachedMs }: Progress,
): Promise<void> {
  const events = page.length === 0 ? [] : await newEvents(deps, await readDrafts(deps, page));
  if (events.length === 0 && reachedMs < publishedTo + NOTED_EVERY_MS) return;
  sendOperational(deps, 0, await publishPlatformEvents(deps, events, reachedMs));
}

async function readDrafts(deps: Deps, page: readonly PlatformSourceRow[]): Promise<Draft[]> {
  const subjects = page.map(subjectsOf);
  const records = await readRecords(deps, {
    userIds: [...new Set(subjects.map(({ userId }) => userId))],
    tenantIds: [...new Set(subjects.map(({ tenantId }) => tenantId))],
    members: subjects.map(({ tenantId, userId }) => [tenantId, userId]),
    clientIds: page.flatMap(({ targetKind, targetId }) => (targetKind === "app" && targetId ? [targetId] : [])),
  });
  return page.flatMap((row) => draftsOf(row, records)).sort(byTimeAndRank);
}

/** Within a millisecond, a user is created before a tenant, both before anything else, and deleted last. */
const byTimeAndRank = (a: Draft, b: Draft): number => a.at - b.at || rankOf(a) - rankOf(b);

function rankOf({ type }: Draft): number {
  if (type === "user.created") return 0;
  if (type === "tenant.created") return 1;
  return type.endsWith(".deleted") ? 3 : 2;
}

/** Gives the events their ids, leaves out those that are published or that nobody lists, and looks at the filters. */
async function newEvents(deps: Deps, drafts: readonly Draft[]) {
  const events = await Promise.all(
    drafts.map(async ({ auditId, payload, ...draft }) => ({
      ...draft,
      id: await platformEventId(auditId, draft.type),
      payload: JSON.stringify(payload),
    })),
  );
  const { ids, filters } = await findNew(
    deps,
    events.map(({ id, type }) => ({ id, type })),
  );
  const parsed = filters.map(({ filter, ...of }) => ({
    ...of,
    filter: readFilter(filter, { tenantId: PLATFORM_TENANT, webhookId: of.subscriptionId }),
  }));
  const meter = new Meter();
  return events
    .filter(({ id }) => ids.has(id))
    .map((event) => {
      const ofType = parsed.filter(({ types }) => types.includes(event.type));
      return { ...event, excluded: excludedBy(ofType, event, meter) };
    });
}
