/** Whom a connection knows, page by page: first the records of its directory, then who has signed on without one. */
import type { Deps } from "../../base/deps";
import { orNotFound } from "../../base/errors";
import { iso } from "../../base/time";
import type { ConnectionPerson, PeopleQuery } from "./schemas";
import { type ConnectionPersonRow, listOthers, listRecordsOfPeople } from "./store";

/** Throws NOT_FOUND. */
export async function peopleOf(
  deps: Deps,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { limit, cursor = "r:", state }: PeopleQuery,
): Promise<{ data: ConnectionPerson[]; nextCursor: string | null }> {
  const after = cursor.slice(2);
  const isOfRecords = cursor.startsWith("r:");
  // One more shows whether there is a next page.
  const page = { tenantId, connectionId, state, limit: limit + 1 };
  const records = orNotFound(
    await listRecordsOfPeople(deps, isOfRecords ? page : { ...page, limit: 0 }, after),
    "Connection",
  );
  if (records.length > limit) return pageOf(records, limit, "r");
  const left = limit - records.length;
  const others = await listOthers(deps, { ...page, limit: left + 1 }, isOfRecords ? "" : after);
  const found = [...records, ...others];
  if (others.length <= left) return { data: found.map(view), nextCursor: null };
  return pageOf(found, limit, others.length > left && left === 0 ? "start" : "i");
}

function pageOf(found: readonly ConnectionPersonRow[], limit: number, next: "r" | "i" | "start") {
  const data = found.slice(0, limit);
  const place = next === "start" ? "i:" : `${next}:${data.at(-1)?.place ?? ""}`;
  return { data: data.map(view), nextCursor: place };
}

const view = (row: ConnectionPersonRow): ConnectionPerson => ({
  id: row.id,
  userId: row.userId,
  email: row.email,
  ...(row.userName === null ? {} : { userName: row.userName }),
  ...(row.externalId === null ? {} : { externalId: row.externalId }),
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  lastSignOnAt: iso(row.lastSignOnAt),
});
