/** `/tenants`: the tenants that the signed-in user is a member of. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../platform/http/env";
import { requires } from "../../platform/http/operation";
import { sessionOnly } from "../../platform/http/permissions";
import { describeRoute } from "../../platform/http/route-docs";
import { dataOf } from "../../platform/schemas/schemas";
import { membership as membershipSchema } from "./schemas";
import { listTenantsOfUser } from "./store";

export const tenantRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("listTenants", "The tenants that the user is a member of, the most recently used first.", {
    200: dataOf(z.array(membershipSchema)),
  }),
  sessionOnly,
  requires({ openWhenSuspended: true }),
  async (c) => {
    const { userId, tenantId } = c.get("principal");
    const tenants = await listTenantsOfUser(c.get("deps"), userId);
    return c.json({ data: tenants.map((tenant) => ({ ...tenant, current: tenant.id === tenantId })) });
  },
);
