/** Removes what directories leave of people 30 days after they left: accounts that nobody can use, and tombstones. */
import { jsonOf } from "../../base/json";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { deleteAccountOf, type LeftPlace, readLeftPeople, removeTombstones } from "./left-people-store";

const KEPT_FOR_MS = 30 * DAY_MS;
const PAGE_PEOPLE = 200;
const BEGINNING: LeftPlace = [0, "", ""];

export const removeLeftPeople: PagedMaintenance = async (deps, _shard, cursor) => {
  const nowMs = deps.now();
  const sinceMs = nowMs - KEPT_FOR_MS;
  const place = cursor === "" ? BEGINNING : (jsonOf(cursor) as LeftPlace);
  const page = await readLeftPeople(deps, place, PAGE_PEOPLE, sinceMs);
  for (const { userId, ...person } of page) {
    if (userId !== null) await deleteAccountOf(deps, { ...person, userId }, nowMs);
  }
  await removeTombstones(deps, page, sinceMs);
  const last = page.length < PAGE_PEOPLE ? undefined : page.at(-1);
  return last ? JSON.stringify([last.stateAt, last.connectionId, last.id]) : null;
};
