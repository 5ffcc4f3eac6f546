/** `GET /auth/me/export` and `GET /tenant/export`: what the service keeps about an account or a tenant. */
import { Hono } from "hono";
import { requireStepUp } from "../../identity/step-up/confirm";
import type { AppEnv } from "../../platform/http/env";
import { ownersOnly, sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byTenant, byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { dataOf } from "../../platform/schemas/schemas";
import { exportAccount } from "./account";
import { attachment } from "./attachment";
import { accountExport, tenantExport } from "./schemas";
import { exportTenant } from "./tenant";

export const accountExportRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("exportAccount", "Everything that the service keeps about the user, in all tenants, without secrets.", {
    200: dataOf(accountExport),
  }),
  sessionOnly,
  limit("exportAccount", byUser),
  async (c) => c.json({ data: await exportAccount(c.get("deps"), sessionOf(c)) }, 200, attachment("account")),
);

export const tenantExportRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("exportTenant", "What the service keeps about the tenant of the session, without secrets.", {
    200: dataOf(tenantExport),
    errors: ["STEP_UP_REQUIRED"],
    description:
      "One JSON document, streamed. Payloads, responses and values of headers are not part of it: the delivery log " +
      "has them. The audit log has an export of its own. Needs a sign-in, or `POST /auth/step-up`, within the last " +
      "ten minutes.",
  }),
  sessionOnly,
  limit("exportTenant", byTenant),
  ownersOnly,
  async (c) => {
    await requireStepUp(c.get("deps"), sessionOf(c));
    return c.body(await exportTenant(c.get("deps"), sessionOf(c)), 200, attachment("tenant"));
  },
);
