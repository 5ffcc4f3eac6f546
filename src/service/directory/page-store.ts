/** Pages of the tenants and of the people, by when they were updated. */

import { type SQL, sql } from "drizzle-orm";
import type { After } from "../../base/schemas/time-page-schemas";
import { updatedAt } from "../../tenancy/directory/records-store";

/** Which rows a list has. */
export interface ListFilter {
  limit: number;
  after: After | undefined;
  /** Unix ms. */
  updatedSince: number | undefined;
  externalId: string | undefined;
}

/** Conditions on the rows `r` of a list by update, and their order, with one row more than the page has. */
export function pageByUpdate({ limit, after, updatedSince = 0, externalId }: ListFilter): SQL {
  const from = Math.max(updatedSince, after?.at ?? 0);
  return sql`${updatedAt} >= ${from}
    ${after === undefined ? sql`` : sql`AND (${updatedAt} > ${after.at} OR r.id > ${after.id})`}
    ${externalId === undefined ? sql`` : sql`AND r.external_id = ${externalId}`}
    ORDER BY ${updatedAt}, r.id LIMIT ${limit + 1}`;
}
