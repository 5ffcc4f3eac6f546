/** `/console`: the overview. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { limit } from "../../platform/http/rate-limit";
import { READ_DELIVERIES } from "../../webhooks/access";
import { overviewOfTenant } from "../../webhooks/stats/summary";
import { CHART_HOURS } from "../components/chart-hours";
import { page } from "../http/page";
import { NoAccess, Overview } from "./page";

const { permission, limit: reads } = READ_DELIVERIES;
/** Without the permission, the page reads nothing of the tenant. */
const limited = limit(reads.rule, reads.per, (c) => c.get("principal").permissions.has(permission));

export const overviewPage = new Hono<AppEnv>().get("/", limited, async (c) => {
  const { tenantName, principal } = c.get("currentUser");
  const { role, permissions } = principal;
  const options = { title: "Overview", section: "overview" } as const;
  if (!permissions.has(permission)) return page(c, options, <NoAccess tenantName={tenantName} role={role} />);
  const { stats, attention, health } = await overviewOfTenant(c.get("deps"), principal, CHART_HOURS);
  return page(c, options, <Overview stats={stats} attention={attention} health={health} permissions={permissions} />);
});
