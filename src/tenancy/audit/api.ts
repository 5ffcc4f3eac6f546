/**
 * `/audit`: who changed what in the caller's tenant. `/auth/me/activity`: the same for the signed-in user's own
 * account.
 */

import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { WITH_KEYS } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { auditExport, EXPORT_TYPES, exportHeaders } from "./export";
import { activityOf, auditPage } from "./log";
import { activity, auditPageBody, auditQuery, exportQuery } from "./schemas";

export const auditLog = {
  read: endpoint({
    id: "listAuditEvents",
    summary: "Lists who changed what in the tenant, newest first, page by page.",
    description:
      "A filter other than `since` and `until` examines 10,000 events for a page, so a page may be short or empty " +
      "although more follow: continue until `nextCursor` is null.",
    callers: WITH_KEYS,
    permission: "audit.read",
    limit: { rule: "readAudit", per: "tenant" },
    schema: auditQuery,
    answers: () => ({ 200: auditPageBody }),
    verb: ({ deps, principal, input }) => auditPage(deps, principal, input),
    answer: (c, page) => c.json(page),
  }),
  export: endpoint({
    id: "exportAuditEvents",
    summary: "Returns the audit log of a period of at most 31 days as a file, newest first.",
    description:
      "Without `since` and `until`, the last 31 days. The file is streamed: if the connection breaks off, it is " +
      "incomplete. In CSV, a cell that a spreadsheet would run as a formula begins with an apostrophe.",
    callers: WITH_KEYS,
    permission: "audit.read",
    limit: { rule: "exportAudit", per: "tenant" },
    schema: exportQuery,
    answers: () => ({ 200: { body: z.string(), mediaType: Object.values(EXPORT_TYPES) } }),
    verb: async ({ deps, principal, input }) => auditExport(deps, principal, input),
    answer: (c, file, request) => c.body(file, 200, exportHeaders(request)),
  }),
  readOwn: endpoint({
    id: "listActivity",
    summary:
      "The last 100 events of the user's own account, newest first, in all tenants; in a confined session, in its own.",
    description: "What the user did, and what others who were not signed in did to the account, such as failed logins.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    limit: { rule: "readAudit", per: "user" },
    answers: () => ({ 200: dataOf(activity) }),
    verb: ({ deps, principal }) => activityOf(deps, principal),
    answer: (c, data) => c.json({ data }),
  }),
};

export const auditRoutes = routes({ "GET /": auditLog.read, "GET /export": auditLog.export });

export const activityRoutes = routes({
  "GET /": auditLog.readOwn,
});
