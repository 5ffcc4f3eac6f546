/** Whether mails can be sent at all, in the control plane. Spans tenants, like a batch of the queue. */
import { query } from "../base/db/client";
import type { Deps } from "../base/deps";

/** Adds `tries` to the number of tries that have failed since the last mail was sent. */
export async function noteFailures({ db }: Deps, tries: number, nowMs: number): Promise<void> {
  await query(db)`INSERT INTO mail_failures (id, since, tries) VALUES (1, ${nowMs}, ${tries})
    ON CONFLICT (id) DO UPDATE SET tries = tries + excluded.tries`;
}

/** Notes that a mail was sent. Writes nothing unless mails have failed. */
export async function forgetFailures({ db }: Deps): Promise<void> {
  await query(db)`DELETE FROM mail_failures WHERE id = 1`;
}
