/** The statements that mark a subscription as failing, within the batches of other stores. */
import { type SQL, sql } from "drizzle-orm";
import { hasDeparted } from "../../tenancy/moves/fence-store";
import { isNewestHour } from "../plane/hours-store";
import { MIN_FAILURES, STAGE } from "../plane/stages";

/**
 * Returns the statement that marks those of `subscriptionIds` (SQL) as failing that have failed often enough since
 * their last success. It changes nothing for a subscription that is marked, and none for a listener. Run it after the
 * attempts are counted in
 * `hourly_stats`.
 */
export const markFailing = (subscriptionIds: SQL): SQL => sql`
  INSERT INTO episodes (subscription_id, tenant_id, failing_since)
  SELECT s.id, s.tenant_id, h.failing_since FROM (SELECT DISTINCT subscription_id FROM (${subscriptionIds})) t
    CROSS JOIN hourly_stats h ON ${isNewestHour(sql`t.subscription_id`)}
    CROSS JOIN subscriptions s ON s.id = t.subscription_id
  WHERE h.sent_failures >= ${MIN_FAILURES} AND s.is_deleted = 0 AND s.listener_of IS NULL
    AND NOT ${hasDeparted(sql.raw("s.tenant_id"))}
    ON CONFLICT DO NOTHING`;

/** Returns the statement that marks those of `subscriptionIds` (SQL) as disabled that the service has just disabled. */
export const markDisabled = (subscriptionIds: SQL): SQL => sql`
  INSERT INTO episodes (subscription_id, tenant_id, failing_since, stage)
  SELECT s.id, s.tenant_id, h.failing_since, ${STAGE.disabled} FROM (${subscriptionIds}) t
    CROSS JOIN subscriptions s ON s.id = t.subscription_id LEFT JOIN hourly_stats h ON ${isNewestHour(sql`s.id`)}
  WHERE s.enabled = 0 AND s.disabled_reason IS NOT NULL AND NOT ${hasDeparted(sql.raw("s.tenant_id"))}
  ON CONFLICT DO UPDATE SET stage = excluded.stage, failing_since = excluded.failing_since, mailed_stage = 0
    WHERE stage <> excluded.stage OR failing_since IS NULL`;

/**
 * Returns the statements that, if `condition` holds, count the failures of a subscription from zero, because it is
 * enabled again. If its users were told about the failures, its mark stays, so that they are told about the next
 * success.
 */
export const restartFailing = (id: string, condition: SQL, nowMs: number) => ({
  countedAnew: sql`UPDATE hourly_stats AS h SET failing_since = ${nowMs}, sent_failures = 0
    WHERE ${isNewestHour(sql`${id}`)} AND h.sent_failures > 0 AND ${condition}`,
  unmarked: sql`DELETE FROM episodes WHERE subscription_id = ${id} AND stage = ${STAGE.noticed} AND ${condition}`,
  restarted: sql`UPDATE episodes SET failing_since = NULL, mailed_stage = stage, probe_at = NULL
    WHERE subscription_id = ${id} AND stage <> ${STAGE.recovered} AND failing_since IS NOT NULL AND ${condition}`,
});
