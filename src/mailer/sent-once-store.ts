/**
 * Which mails of the kinds that are sent once have been sent, in the control plane, so that repeated jobs send one
 * mail.
 */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../base/db/client";
import type { Deps } from "../base/deps";
import { MINUTE_MS } from "../base/time";

/** A consumer that has not sent its mail within this time has died. */
const SENT_WITHIN_MS = 5 * MINUTE_MS;

/** Reserves a mail for the caller. Returns "sent" if it was sent before, and "busy" while another consumer sends it. */
export async function claimMail({ db }: Deps, id: string, nowMs: number): Promise<"mine" | "sent" | "busy"> {
  const { claimed, found } = await atomically(db, {
    claimed: rows<{ id: string }>(sql`INSERT INTO alert_mails (id, claimed_at) VALUES (${id}, ${nowMs})
      ON CONFLICT (id) DO UPDATE SET claimed_at = excluded.claimed_at
        WHERE sent_at IS NULL AND claimed_at <= ${nowMs - SENT_WITHIN_MS} RETURNING id`),
    found: rows<{ sentAt: number | null }>(sql`SELECT sent_at AS sentAt FROM alert_mails WHERE id = ${id}`),
  });
  if (claimed.length > 0) return "mine";
  return found[0]?.sentAt === null ? "busy" : "sent";
}

/**
 * Ends the caller's reservation: the mail was sent at `sentAt` (Unix ms), or, if that is null, any consumer may send
 * it.
 */
export async function settleMail({ db }: Deps, id: string, sentAt: number | null): Promise<void> {
  await query(db)`UPDATE alert_mails SET sent_at = ${sentAt}, claimed_at = iif(${sentAt} IS NULL, 0, claimed_at)
    WHERE id = ${id}`;
}
