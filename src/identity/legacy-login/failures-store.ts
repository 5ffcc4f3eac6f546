/** Whether the former service answers, in the control plane. It is asked about people of no tenant yet. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** Adds one to the number of times that it has failed since it last answered. */
export async function noteFailure({ db }: Deps, nowMs: number): Promise<void> {
  await query(db)`INSERT INTO legacy_login_failures (id, since, tries) VALUES (1, ${nowMs}, 1)
    ON CONFLICT (id) DO UPDATE SET tries = tries + 1`;
}

/** Notes that it has answered. Writes nothing unless it has failed. */
export async function forgetFailures({ db }: Deps): Promise<void> {
  await query(db)`DELETE FROM legacy_login_failures WHERE id = 1`;
}
