/** `/webhooks/:id/filter`: trying the filter of a subscription. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { filters } from "./operations";
import { filterResult } from "./schemas";

export const filterRoutes = new Hono<AppEnv>().post(
  "/:id/filter/test",
  describeRoute(
    "testFilter",
    "Says whether a subscription would receive an event, and if not, why. Writes nothing.",
    () => ({
      200: dataOf(filterResult),
      errors: ["NOT_FOUND"],
    }),
  ),
  ...serve(filters.test, (c, data) => c.json({ data })),
);
