/** `/tenant/security`: what the tenant of the session requires of its members. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { policy } from "./operations";
import { policy as policySchema } from "./schemas";

export const policyRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("getTenantSecurity", "What the tenant requires of its members.", () => ({
      200: dataOf(policySchema),
    })),
    ...serve(policy.read, (c, data) => c.json({ data })),
  )
  .patch(
    "/",
    describeRoute(
      "updateTenantSecurity",
      "Requires a second factor of all members, of owners and admins, or of none.",
      () => ({
        200: dataOf(policySchema),
        errors: ["SECOND_FACTOR_REQUIRED"],
        description:
          "Two-factor authentication counts, and a passkey in sessions that it has opened or confirmed. After the " +
          "grace period, members without one get `SECOND_FACTOR_REQUIRED` everywhere but below `/auth/`, where they " +
          "set one up. API keys are not affected. Each change begins the grace period anew. Owners need a sign-in or " +
          "a step-up within the last ten minutes, and a second factor of their own to require one; all owners are " +
          "told.",
      }),
    ),
    ...serve(policy.change, (c, data) => c.json({ data })),
  );
