/** The deliveries that tell apps of sign-ins that have just ended, in D1, across tenants. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { DueDelivery } from "../../webhooks/plane/enqueue";
import { IS_SHOWN } from "../../webhooks/plane/live-store";
import { KEY_COLUMNS_OF_O, MAIN } from "../../webhooks/plane/outbox-store";
import { isSlowAt } from "../../webhooks/plane/predicates-store";

const WRITTEN_WITHIN_MS = 5_000;
/** The newest deliveries among which they are searched for. */
const EXAMINED = 200;

/** Those that the trigger has written in the last seconds. */
export const readNewLogouts = ({ db }: Deps, nowMs: number): Promise<DueDelivery[]> =>
  query<DueDelivery>(db)`SELECT ${KEY_COLUMNS_OF_O}, coalesce(${isSlowAt(nowMs)}, 0) AS slow
    FROM (SELECT * FROM outbox WHERE queue = ${MAIN} AND due_at > ${nowMs - WRITTEN_WITHIN_MS}
      ORDER BY due_at DESC LIMIT ${EXAMINED}) o
      CROSS JOIN subscriptions s ON s.id = o.subscription_id
    WHERE NOT ${IS_SHOWN}`;
