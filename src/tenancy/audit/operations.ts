/** Reading the audit log. */
import { operation } from "../../base/operation";
import { auditExport } from "./export";
import { activityOf, auditPage } from "./log";
import { auditQuery, exportQuery } from "./schemas";

export const auditLog = {
  read: operation({
    permission: "audit.read",
    limit: { rule: "readAudit", per: "tenant" },
    schema: auditQuery,
    verb: ({ deps, principal, input }) => auditPage(deps, principal, input),
  }),
  export: operation({
    permission: "audit.read",
    limit: { rule: "exportAudit", per: "tenant" },
    schema: exportQuery,
    verb: async ({ deps, principal, input }) => auditExport(deps, principal, input),
  }),
  readOwn: operation({
    limit: { rule: "readAudit", per: "user" },
    verb: ({ deps, principal }) => activityOf(deps, principal.userId),
  }),
};
