/** Writes while the database or the storage of a tenant is full. */
import type { Context } from "hono";
import { refuseOtherWriteWhenFull } from "../budgets/storage";
import type { TenantStanding } from "../schemas/principal";
import type { AppEnv } from "./env";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);
/** The ends of the paths of forms that make room or stop something. */
const ENDS = /\/(close|delete|end|forget|leave|pause|remove|revoke|stop)$/;

/**
 * Refuses a write while the database of the tenant is nearly full, or the tenant stores far too much: many small ones
 * would fill it too. What ends something goes on. Throws SERVICE_UNAVAILABLE and RATE_LIMITED.
 */
export function refuseWriteWhenFull(c: Context<AppEnv>, tenant: TenantStanding): void {
  if (!READS.has(c.req.method) && !ENDS.test(c.req.path)) refuseOtherWriteWhenFull(c.get("deps"), tenant);
}
