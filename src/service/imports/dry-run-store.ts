/** What a dry run would have written: its later rows meet the earlier ones there. Spans tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { PersonChange } from "../../identity/people/decide";
import type { Person } from "../../identity/people/person";
import { namesOf, type World } from "../../identity/people/world";

const PERSON = "person:";
/** How many members a tenant would have got. */
const JOINED = "joined:";

/** The statement that remembers these changes. */
export function noteDryRun(importId: string, changes: readonly PersonChange[]): SQL | undefined {
  if (changes.length === 0) return undefined;
  const entries = changes.flatMap(({ person, memberships }) => [
    [`${PERSON}${person.id}`, JSON.stringify(person)],
    ...namesOf(person).map((name) => [name, person.id]),
    ...memberships.map(({ tenantId }) => [`${JOINED}${tenantId}`, "1"]),
  ]);
  return sql`INSERT INTO import_trials (import_id, key, value)
    SELECT ${importId}, j.value ->> 0, j.value ->> 1 FROM json_each(${jsonList(entries)}) j WHERE true
    ON CONFLICT DO UPDATE SET value = iif(substr(key, 1, ${JOINED.length}) = ${JOINED},
      CAST(value + excluded.value AS TEXT), excluded.value)`;
}

/** Puts into the world what earlier rows of a dry run would have written about people with these names. */
export async function recallDryRun({ db }: Deps, importId: string, names: readonly string[], world: World) {
  const tenants = [...world.tenants.values()];
  const { people, joined } = await atomically(db, {
    people: rows<{ value: string }>(sql`SELECT DISTINCT p.value FROM json_each(${jsonList(names)}) j
      CROSS JOIN import_trials t ON t.import_id = ${importId} AND t.key = j.value
      CROSS JOIN import_trials p ON p.import_id = ${importId} AND p.key = ${PERSON} || t.value`),
    joined: rows<{ tenantId: string; count: number }>(sql`SELECT j.value AS tenantId, CAST(t.value AS INTEGER) AS count
      FROM json_each(${jsonList([...new Set(tenants.map(({ id }) => id))])}) j
      CROSS JOIN import_trials t ON t.import_id = ${importId} AND t.key = ${JOINED} || j.value`),
  });
  for (const { value } of people) {
    const person = JSON.parse(value) as Person;
    world.put({ ...person, memberships: { ...world.people.get(person.id)?.memberships, ...person.memberships } });
  }
  for (const { tenantId, count } of joined) {
    const tenant = tenants.find(({ id }) => id === tenantId);
    if (tenant) tenant.room -= count;
  }
}
