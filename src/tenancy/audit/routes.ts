/**
 * `/audit`: who changed what in the caller's tenant. `/auth/me/activity`: the same for the signed-in user's own
 * account.
 */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { EXPORT_TYPES, exportHeaders } from "./export";
import { auditLog } from "./operations";
import { activity, auditPageBody } from "./schemas";

const listRoute = new Hono<AppEnv>().get(
  "/",
  describeRoute("listAuditEvents", "Lists who changed what in the tenant, newest first, page by page.", () => ({
    200: auditPageBody,
    description:
      "A filter other than `since` and `until` examines 10,000 events for a page, so a page may be short or empty " +
      "although more follow: continue until `nextCursor` is null.",
  })),
  ...serve(auditLog.read, (c, page) => c.json(page), "query"),
);

const exportRoute = new Hono<AppEnv>().get(
  "/export",
  describeRoute(
    "exportAuditEvents",
    "Returns the audit log of a period of at most 31 days as a file, newest first.",
    () => ({
      200: { body: z.string(), mediaType: Object.values(EXPORT_TYPES) },
      description:
        "Without `since` and `until`, the last 31 days. The file is streamed: if the connection breaks off, it is " +
        "incomplete. In CSV, a cell that a spreadsheet would run as a formula begins with an apostrophe.",
    }),
  ),
  ...serve(auditLog.export, (c, file, request) => c.body(file, 200, exportHeaders(request)), "query"),
);

export const auditRoutes = new Hono<AppEnv>().route("/", listRoute).route("/", exportRoute);

export const activityRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("listActivity", "The last 100 events of the user's own account, newest first, in all tenants.", () => ({
    200: dataOf(activity),
    description: "What the user did, and what others who were not signed in did to the account, such as failed logins.",
  })),
  ...serve(auditLog.readOwn, (c, data) => c.json({ data })),
);
