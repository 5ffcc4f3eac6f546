/** `GET /auth/me/export` and `GET /tenant/export`: what the service keeps about an account or a tenant. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { limitedInside } from "../../base/http/rate-limit";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { attachment } from "./attachment";
import { exports } from "./operations";
import { accountExport, tenantExport } from "./schemas";

export const accountExportRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute(
    "exportAccount",
    "Everything that the service keeps about the user, in all tenants, without secrets.",
    () => ({
      200: dataOf(accountExport),
      description:
        "Needs a sign-in, or `POST /auth/step-up`, within the last ten minutes. The user is told by mail: the export " +
        "has a year of their IP addresses.",
    }),
  ),
  limitedInside("exportAccount", "user"),
  ...serve(exports.ofAccount, (c, data) => c.json({ data }, 200, attachment("account"))),
);

export const tenantExportRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("exportTenant", "What the service keeps about the tenant of the session, without secrets.", () => ({
    200: dataOf(tenantExport),
    description:
      "One JSON document, streamed. Payloads, responses and values of headers are not part of it: the delivery log " +
      "has them. The audit log has an export of its own. Needs a sign-in, or `POST /auth/step-up`, within the last " +
      "ten minutes.",
  })),
  ...serve(exports.ofTenant, (c, file) => c.body(file, 200, attachment("tenant"))),
);
