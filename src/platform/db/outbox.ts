/** SQL for rows of the outbox, which several stores of the delivery plane use. */
import { type SQL, sql } from "drizzle-orm";

/** The id that the outbox row `o` plans for its next attempt. */
export const PLANNED_ID = sql.raw("coalesce(o.attempt_id, o.id)");

/** The outbox rows `o` for a JSON list of keys with the members q (queue), d (due), i (id). */
export const outboxByKeys = (keys: string): SQL =>
  sql`json_each(${keys}) j CROSS JOIN outbox o ON o.queue = j.value ->> 'q' AND o.due_at = j.value ->> 'd'
    AND o.id = j.value ->> 'i'`;

/** Whether nobody has claimed the outbox row `o`, as SQL. */
export const IS_UNCLAIMED = sql`NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = o.subscription_id
  AND a.id = ${PLANNED_ID})`;
