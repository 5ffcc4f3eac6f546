/** Writes while the database of a tenant is nearly full. */
import type { Context } from "hono";
import { refuseInFullDatabase } from "../budgets/storage";
import type { TenantStanding } from "../schemas/principal";
import type { AppEnv } from "./env";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);
/** The ends of the paths of forms that make room or stop something. */
const ENDS = /\/(close|delete|end|forget|leave|pause|remove|revoke|stop)$/;

/**
 * Refuses a write while the database of the tenant is nearly full: many small ones would fill it too. What ends
 * something goes on. Throws SERVICE_UNAVAILABLE.
 */
export function refuseWriteWhenFull(c: Context<AppEnv>, tenant: TenantStanding): void {
  if (!READS.has(c.req.method) && !ENDS.test(c.req.path)) refuseInFullDatabase(tenant);
}
