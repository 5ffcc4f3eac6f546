/** What people do with their sessions. */
import { operation } from "../../platform/operation";
import { revokeSession } from "./revoke";
import { tenantChoice } from "./schemas";
import { deleteAllSessionsOfUser } from "./store";
import { switchTenant } from "./switch-tenant";

export const sessions = {
  switchTenant: operation({
    limit: { rule: "refresh", per: "IP address" },
    openWhenSuspended: true,
    schema: tenantChoice,
    verb: ({ deps, session, input }) => switchTenant(deps, session, input.tenantId),
  }),
  revoke: operation({ verb: ({ deps, session, param }) => revokeSession(deps, session, param("id")) }),
  revokeAll: operation({
    openWhenSuspended: true,
    verb: ({ deps, session }) => deleteAllSessionsOfUser(deps, session, deps.now()),
  }),
};
