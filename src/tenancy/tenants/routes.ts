/** `/tenants`: the tenants that the signed-in user is a member of. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../platform/http/env";
import { serve } from "../../platform/http/operation";
import { sessionOnly } from "../../platform/http/permissions";
import { describeRoute } from "../../platform/http/route-docs";
import { dataOf } from "../../platform/schemas/schemas";
import { tenants } from "./operations";
import { membership as membershipSchema } from "./schemas";

export const tenantRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("listTenants", "The tenants that the user is a member of, the most recently used first.", () => ({
    200: dataOf(z.array(membershipSchema)),
  })),
  sessionOnly,
  ...serve(tenants.list, (c, data) => c.json({ data })),
);
