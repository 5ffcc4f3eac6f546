/** `/tenants`: the tenants that the signed-in user is a member of. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { tenants } from "./operations";
import { membership as membershipSchema } from "./schemas";

export const tenantRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("listTenants", "The tenants that the user is a member of, the most recently used first.", () => ({
    200: dataOf(z.array(membershipSchema)),
  })),
  ...serve(tenants.list, (c, data) => c.json({ data })),
);
