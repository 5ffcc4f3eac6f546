/** What sending a claimed delivery needs to know about its subscription. */
import { type SQL, sql } from "drizzle-orm";
import { type Db, jsonList, query } from "../../base/db/client";
import { type DeliveryOptions, parseOptions } from "../options/delivery-options";
import type { StoredKey } from "../signing/keys";
import { keysFrom, parseKeys } from "../signing/store";

/** The fields of a subscription that can change between the claim and the send. */
export interface Target {
  url: string;
  /** Whose listener it is; null for a URL. */
  listenerOf: string | null;
  secretSealed: string;
  enabled: 0 | 1;
  /** Deliveries of events that are due after this time are held (Unix ms); null if none is held. */
  releasedTo: number | null;
  isDeleted: 0 | 1;
  /** Whether its tenant had no verified owner when it was made; 0 once a send has found one. */
  onTrial: 0 | 1;
  options: DeliveryOptions | null;
  headersSealed: string | null;
  /** The keys besides the current secret. */
  keys: StoredKey[];
}

/** A Target as the database answers it: options and keys are JSON texts. */
export type TargetRow = Omit<Target, "options" | "keys"> & { options: string | null; keys: string | null };

/** The columns of TargetRow, of the subscription `s`. */
export const targetColumns = (nowMs: SQL | number) =>
  sql`s.url, s.listener_of AS listenerOf, s.secret_sealed AS secretSealed, s.enabled, s.released_to AS releasedTo,
    s.is_deleted AS isDeleted,
    s.on_trial AS onTrial, s.options, s.headers_sealed AS headersSealed, ${keysFrom(nowMs)} AS keys`;

/** Parses the columns of a row that are JSON. */
export const parseTarget = <R extends TargetRow>({ options, keys, ...row }: R) => ({
  ...row,
  options: parseOptions(options),
  keys: parseKeys(keys),
});

/**
 * Reads the subscriptions of claimed deliveries again, by id. Spans tenants. The result omits subscriptions whose rows
 * are gone.
 */
export async function readTargets(
  db: Db,
  subscriptionIds: readonly string[],
  nowMs: number,
): Promise<Map<string, Target>> {
  const targets = await query<TargetRow & { id: string }>(db)`SELECT s.id, ${targetColumns(nowMs)}
    FROM subscriptions s WHERE s.id IN (SELECT value FROM json_each(${jsonList(subscriptionIds)}))`;
  return new Map(targets.map(({ id, ...target }) => [id, parseTarget(target)]));
}
