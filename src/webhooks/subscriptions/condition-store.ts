/** What a change of a subscription depends on. */
import { type SQL, sql } from "drizzle-orm";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { TAKES_ANY_SECRET } from "../signing/store";
import { type FilterCondition, filterConditions } from "./filter-store";
import { ofExternalId, type SubscriptionRow } from "./store";

/**
 * What must hold for a change. Headers belong to the URL for which they were given, and a signature profile must fit
 * headers and secret, so a change of one depends on the others.
 */
export interface ChangeCondition extends FilterCondition {
  /** The subscription has no headers, or has this URL already. */
  withoutHeadersOr?: string;
  /** No other subscription of the tenant has this external id. */
  hasFree?: string;
  /** Its signature profile takes any secret. */
  takesAnySecret?: true;
  /** It still has what was read. */
  expected?: Pick<SubscriptionRow, "url" | "headersSealed" | "secretSealed" | "options">;
}

/** The same as SQL over the subscription `s`. */
export function allowedIf(tenant: TenantRef, condition: ChangeCondition): SQL {
  const { hasFree, withoutHeadersOr, takesAnySecret, expected } = condition;
  const conditions = [
    ...filterConditions(tenant, condition),
    hasFree !== undefined && sql`NOT EXISTS (${ofExternalId(tenant, hasFree)} AND o.id <> s.id)`,
    withoutHeadersOr !== undefined && sql`(s.headers_sealed IS NULL OR s.url = ${withoutHeadersOr})`,
    takesAnySecret && TAKES_ANY_SECRET,
    expected &&
      sql`(s.url = ${expected.url} AND s.headers_sealed IS ${expected.headersSealed}
        AND s.secret_sealed = ${expected.secretSealed}
        AND ${profileIn(sql`s.options`)} IS ${jsonOf(expected.options?.signatureProfile)})`,
  ].filter((condition) => condition !== false && condition !== undefined);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The signature profile among the options, as JSON text; null without one. */
export const profileIn = (options: SQL) => sql`(${options} -> '$.signatureProfile')`;
