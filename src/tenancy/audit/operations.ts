/** Reading the audit log. */
import { operation, WITH_KEYS } from "../../base/operation";
import { auditExport } from "./export";
import { activityOf, auditPage } from "./log";
import { auditQuery, exportQuery } from "./schemas";

export const auditLog = {
  read: operation({
    callers: WITH_KEYS,
    permission: "audit.read",
    limit: { rule: "readAudit", per: "tenant" },
    schema: auditQuery,
    verb: ({ deps, principal, input }) => auditPage(deps, principal, input),
  }),
  export: operation({
    callers: WITH_KEYS,
    permission: "audit.read",
    limit: { rule: "exportAudit", per: "tenant" },
    schema: exportQuery,
    verb: async ({ deps, principal, input }) => auditExport(deps, principal, input),
  }),
  readOwn: operation({
    openWhenSuspended: true,
    limit: { rule: "readAudit", per: "user" },
    verb: ({ deps, principal }) => activityOf(deps, principal.userId),
  }),
};
