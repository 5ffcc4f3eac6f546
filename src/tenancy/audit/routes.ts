/**
 * `/audit`: who changed what in the caller's tenant. `/auth/me/activity`: the same for the signed-in user's own
 * account.
 */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../../platform/http/env";
import { can, sessionOnly } from "../../platform/http/permissions";
import { byTenant, byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { query } from "../../platform/http/validate";
import { dataOf } from "../../platform/schemas/schemas";
import { auditExport, EXPORT_TYPES, exportHeaders } from "./export";
import { activityOf, auditPage } from "./log";
import { activity, auditPageBody, auditQuery, exportQuery } from "./schemas";

const listRoute = new Hono<AppEnv>().get(
  "/",
  describeRoute("listAuditEvents", "Lists who changed what in the tenant, newest first, page by page.", {
    200: auditPageBody,
    description:
      "A filter other than `since` and `until` examines 10,000 events for a page, so a page may be short or empty " +
      "although more follow: continue until `nextCursor` is null.",
  }),
  limit("readAudit", byTenant),
  can("audit.read"),
  query(auditQuery),
  async (c) => c.json(await auditPage(c.get("deps"), c.get("principal"), c.req.valid("query"))),
);

const exportRoute = new Hono<AppEnv>().get(
  "/export",
  describeRoute("exportAuditEvents", "Returns the audit log of a period of at most 31 days as a file, newest first.", {
    200: { body: z.string(), mediaType: Object.values(EXPORT_TYPES) },
    description:
      "Without `since` and `until`, the last 31 days. The file is streamed: if the connection breaks off, it is " +
      "incomplete. " +
      "In CSV, a cell that a spreadsheet would run as a formula begins with an apostrophe.",
  }),
  limit("exportAudit", byTenant),
  can("audit.read"),
  query(exportQuery),
  (c) => {
    const request = c.req.valid("query");
    return c.body(auditExport(c.get("deps"), c.get("principal"), request), 200, exportHeaders(request));
  },
);

export const auditRoutes = new Hono<AppEnv>().route("/", listRoute).route("/", exportRoute);

export const activityRoutes = new Hono<AppEnv>().get(
  "/",
  describeRoute("listActivity", "The last 100 events of the user's own account, newest first, in all tenants.", {
    200: dataOf(activity),
    description: "What the user did, and what others who were not signed in did to the account, such as failed logins.",
  }),
  sessionOnly,
  limit("readAudit", byUser),
  async (c) => c.json({ data: await activityOf(c.get("deps"), c.get("principal").userId) }),
);
