/** `/console`: the overview. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { limit } from "../../base/http/rate-limit";
import { READ_DELIVERIES } from "../../webhooks/access";
import { overviewOfTenant } from "../../webhooks/stats/summary";
import { barsOf, PERIODS, periodOf } from "../components/chart-periods";
import { page } from "../http/page";
import { NoAccess, Overview } from "./page";

const { permission, limit: reads } = READ_DELIVERIES;
/** Without the permission, the page reads nothing of the tenant. */
const limited = limit(reads.rule, reads.per, { when: (c) => c.get("principal").permissions.has(permission) });

export const overviewPage = new Hono<AppEnv>().get("/", limited, async (c) => {
  const { tenantName, principal } = c.get("currentUser");
  const { role, permissions } = principal;
  const options = { title: "Overview", section: "overview" } as const;
  if (!permissions.has(permission)) return page(c, options, <NoAccess tenantName={tenantName} role={role} />);
  const deps = c.get("deps");
  const nowMs = deps.now();
  const period = periodOf(c.req.query("period"));
  const { stats, ...rest } = await overviewOfTenant(deps, principal, PERIODS[period].hours);
  const hours = stats.hours.map(({ hour, success, failed }) => ({
    hour: Date.parse(hour),
    succeeded: success,
    failed,
  }));
  const bars = barsOf(hours, { period, nowMs, pending: stats.pending });
  const chart = { stats, bars, period, keptDays: deps.config.retentionDays };
  return page(c, options, <Overview {...chart} {...rest} permissions={permissions} />);
});
