/**
 * The statements that record plain results: of attempts that have succeeded and change nothing else of their
 * subscriptions, as nearly all do. What they add up to is known before, so each attempt is read once, by the statement
 * that ends it. If somebody else has ended one of them, the next statement fails, and nothing is written.
 */
import { sql } from "drizzle-orm";
import { fixed, violates } from "../../base/db/client";
import { longTextOf } from "../../base/db/stored-text";
import { addSuccesses } from "../plane/hours-store";

/** JSON lists have the short names of `endList` and `hourList`; `keys` are the outbox keys. */
interface PlainRecord extends Record<string, unknown> {
  /** How many attempts there are. */
  count: number;
  ends: string;
  hours: string;
  keys: string;
  claim: string;
  /** The start of the hour, Unix ms. */
  hour: number;
}

const statements = {
  recorded: fixed(sql`UPDATE attempts SET status = 'success', claim = NULL, response_code = j.value ->> 'code',
      response_body = j.value ->> 'short', long_body = ${longTextOf(sql`j.value`)},
      response_headers = j.value ->> 'headers', attempted_at = j.value ->> 'started',
      completed_at = j.value ->> 'completed'
    FROM json_each(${sql.placeholder("ends")}) j
    WHERE attempts.subscription_id = j.value ->> 's' AND attempts.id = j.value ->> 'a'
      AND attempts.status = 'pending' AND attempts.claim = ${sql.placeholder("claim")}`),
  stats: fixed(
    addSuccesses(
      sql`${sql.placeholder("hours")}`,
      sql`${sql.placeholder("hour")}`,
      sql`changes() = ${sql.placeholder("count")}`,
    ),
  ),
  ended: fixed(sql`DELETE FROM outbox WHERE (queue, due_at, id) IN (
    SELECT value ->> 'q', value ->> 'd', value ->> 'i' FROM json_each(${sql.placeholder("keys")}))`),
};

export const plainStatements = (values: PlainRecord) => ({
  recorded: statements.recorded(values),
  stats: statements.stats(values),
  ended: statements.ended(values),
});

/** Whether the statements have failed because the claim does not hold all of the attempts. */
export const areNotAllOurs = (error: unknown): boolean => violates(error, "NOT NULL", "hourly_stats.succeeded");
