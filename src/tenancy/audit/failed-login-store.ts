/**
 * Failed logins of known accounts in D1. A guesser could write any number of rows, so an account gets at most six in an
 * hour.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import { firstIdAt, newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { GuessPool } from "../../base/limits/lock";
import type { RequestOrigin } from "../../base/schemas/actor";
import { hourOf } from "../../base/time";
import { audit, strangerTo } from "./record-store";

/** Beyond these, one more row counts the rest of the hour. */
const MAX_ROWS_PER_HOUR = 5;

/** What was wrong: a password, a second factor, a mailed code or a passkey. */
export type FailedCredential = GuessPool | "passkey";

/** The account that somebody has tried to sign in to. */
export interface GuessedAccount {
  userId: string;
  /** The tenant that the login would have opened; null for a user who is a member of none. */
  tenantId: string | null;
}

/** Records a failed login, and the lock if it started one. */
export async function recordFailedLogin(
  { db, now }: Deps,
  account: GuessedAccount,
  { pool, startedLock }: { pool: FailedCredential; startedLock: boolean },
  origin: RequestOrigin,
): Promise<void> {
  const { userId, tenantId } = account;
  const tenant = tenantId ?? userId;
  const nowMs = now();
  const ofThisHour = sql`FROM audit_events e WHERE coalesce(e.actor_id, e.target_id) = ${userId}
    AND e.id >= ${firstIdAt(hourOf(nowMs))} AND e.action = 'auth.login_failed'`;
  const countingRow = (column: SQL) => sql`(SELECT ${column} ${ofThisHour} AND e.meta ->> 'count' IS NOT NULL LIMIT 1)`;
  const { ip, userAgent, requestId } = strangerTo(userId, origin);
  await atomically(db, {
    recorded: sql`INSERT INTO audit_events (tenant_id, id, action, actor_kind, target_kind, target_id, ip, user_agent,
      request_id, meta)
      SELECT coalesce(${countingRow(sql`e.tenant_id`)}, ${tenant}), coalesce(${countingRow(sql`e.id`)}, ${newId()}),
        'auth.login_failed',
        'anonymous', 'user', ${userId}, ${ip}, ${userAgent}, ${requestId},
        iif((SELECT count(*) ${ofThisHour}) < ${MAX_ROWS_PER_HOUR}, json_object('factor', ${pool}), json_object('count',
          1)) WHERE true
      ON CONFLICT (tenant_id, id) DO UPDATE SET meta = json_set(meta, '$.count', 1 + (meta ->> 'count'))`,
    locked: startedLock ? auditLock(account, pool, strangerTo(userId, origin)) : undefined,
  });
}

/** Who has guessed, and for which account. */
export type Guesser = GuessedAccount & { actor: Parameters<typeof audit>[0]["actor"] };

/** Records that wrong guesses have locked an account. */
export async function recordLock({ db }: Deps, user: Guesser, pool: GuessPool): Promise<void> {
  await atomically(db, { locked: auditLock(user, pool, user.actor) });
}

const auditLock = ({ userId, tenantId }: GuessedAccount, pool: FailedCredential, actor: Guesser["actor"]) =>
  audit({
    tenantId: tenantId ?? userId,
    action: "auth.locked",
    actor,
    target: { kind: "user", id: userId },
    meta: { factor: pool },
  });
