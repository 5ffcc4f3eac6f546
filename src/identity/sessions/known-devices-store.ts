/**
 * Known devices in D1. The statements belong in the batch that opens the session, so that a failed sign-in leaves
 * nothing.
 */
import { type SQL, sql } from "drizzle-orm";
import { jsonList, type Rows, rows } from "../../base/db/client";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import { DAY_MS } from "../../base/time";
import type { NewSession } from "./store";

/** A device that has not been seen for this time is new again. */
export const KNOWN_DEVICE_MS = 90 * DAY_MS;
/** A device is marked as seen at most once in this time. */
const RESOLUTION_MS = DAY_MS;
/** Beyond this number, the device that was seen the longest ago is forgotten. */
const MAX_KNOWN_DEVICES = 50;

/**
 * Stores the "this was not me" link if the session was opened from a new device, and then returns a row. Must come
 * before `rememberDevice`: of parallel sign-ins from one device, only the first finds it new. `revertState` says what
 * the link also removes: see `revertStateOf`.
 */
export function announceDevice(
  { id, userId, deviceKeys }: NewSession,
  revert: NewRevert,
  revertState: SQL,
  nowMs: number,
): Rows<{ hash: string }> {
  const [key] = deviceKeys;
  const isNew = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${id}) AND NOT EXISTS (SELECT 1 FROM known_devices
    WHERE user_id = ${userId} AND key IN (SELECT value FROM json_each(${jsonList(deviceKeys)}))
      AND last_seen_at > ${nowMs - KNOWN_DEVICE_MS})`;
  return rows(
    sql`${insertRevert(revert, userId, "signIn", { state: sql`, 'device', ${key} ${revertState}`, condition: isNew })}
      RETURNING hash`,
  );
}

/** Remembers the device of a session that was opened. */
export function rememberDevice(
  { id, userId, deviceKeys }: NewSession,
  nowMs: number,
): Record<"seen" | "forgotten", SQL> {
  const [key] = deviceKeys;
  return {
    seen: sql`INSERT INTO known_devices (user_id, key, last_seen_at)
      SELECT user_id, ${key}, ${nowMs} FROM sessions WHERE id = ${id}
      ON CONFLICT DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE last_seen_at <= ${nowMs - RESOLUTION_MS}`,
    forgotten: sql`DELETE FROM known_devices WHERE user_id = ${userId} AND key NOT IN (
      SELECT key FROM known_devices WHERE user_id = ${userId} ORDER BY last_seen_at DESC LIMIT ${MAX_KNOWN_DEVICES})`,
  };
}
