/** Which subscriptions a statement may touch. */
import { type SQL, sql } from "drizzle-orm";
import { KEPT_PER_USED } from "../../base/limits/caps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { LOGOUT_FORMAT } from "./logout-format";

/** Whether users see and change the subscription `s`: not one of an app (`oauth/clients/logout-store.ts`). */
export const IS_SHOWN = sql.raw(`coalesce(s.options ->> '$.format' <> '${LOGOUT_FORMAT}', 1)`);

/** True for the subscription `s` with this id if it belongs to the tenant, is not deleted and not a hidden one. */
export const isLive = ({ tenantId }: TenantRef, id: string): SQL =>
  sql`s.id = ${id} AND s.tenant_id = ${tenantId} AND s.is_deleted = 0 AND ${IS_SHOWN}`;

/** `isLive`, but not for listeners, which have no URL and only their own routes change. */
export const hasUrl = (tenant: TenantRef, id: string): SQL => sql`${isLive(tenant, id)} AND s.listener_of IS NULL`;

/** True for few enough subscriptions with the deleted ones, of which `most` may be in use: an aggregate of `s`. */
export const keepsFew = (most: number): SQL => sql`count(*) FILTER (WHERE ${IS_SHOWN}) < ${most * KEPT_PER_USED}`;
