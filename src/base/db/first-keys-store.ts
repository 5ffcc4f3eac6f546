/** Which keys were the first of `SECRET_KEYS` lately, and so may have encrypted a state that is still of use. */
import type { KeyRing } from "../crypto/keys";
import { MINUTE_MS } from "../time";
import { type Db, jsonList, query } from "./client";

interface Ring {
  db: Db;
  keys: KeyRing;
  now(): number;
}

/** How long after its time as the first key a key still opens what lives for minutes only. */
const ACCEPTED_FOR_MS = 15 * MINUTE_MS;

/** Runs every minute: notes that the first key is in use. Belongs to the whole service. */
export async function noteFirstKey({ db, keys, now }: Ring): Promise<void> {
  const [{ id }] = keys;
  await query(db)`INSERT INTO first_keys (id, last_first_at) VALUES (${id}, ${now()})
    ON CONFLICT (id) DO UPDATE SET last_first_at = excluded.last_first_at`;
}

/** The first key, and those that were the first one within the last 15 minutes. */
export async function readRecentKeys({ db, keys, now }: Ring): Promise<KeyRing> {
  const [first, ...others] = keys;
  if (others.length === 0) return keys;
  const found = await query<{ id: string }>(db)`SELECT id FROM first_keys
    WHERE id IN (SELECT value FROM json_each(${jsonList(others.map(({ id }) => id))}))
      AND last_first_at > ${now() - ACCEPTED_FOR_MS}`;
  return [first, ...others.filter((key) => found.some(({ id }) => id === key.id))];
}
