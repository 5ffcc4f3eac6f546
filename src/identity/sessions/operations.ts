/** What people do with their sessions. */
import { checkedHeader } from "../../base/checked-header";
import { operation } from "../../base/operation";
import { logout, refresh } from "./refresh";
import { revokeSession } from "./revoke";
import { refreshKey, refreshTokenBody, tenantChoice } from "./schemas";
import { deleteAllSessionsOfUser, listSessionsOfUser } from "./store";
import { switchTenant } from "./switch-tenant";

export const sessions = {
  refresh: operation({
    callers: "anybody",
    limit: { rule: "refresh", per: "IP address" },
    schema: refreshTokenBody,
    verb: ({ deps, input, client, unchecked }) =>
      refresh(deps, input.refreshToken, checkedHeader(unchecked, "Idempotency-Key", refreshKey.nullable()), client),
  }),
  logout: operation({
    callers: "anybody",
    schema: refreshTokenBody,
    verb: ({ deps, input, client }) => logout(deps, input.refreshToken, client.origin),
  }),
  list: operation({
    openWhenSuspended: true,
    verb: ({ deps, session }) => listSessionsOfUser(deps, session.userId, deps.now()),
  }),
  switchTenant: operation({
    limit: { rule: "refresh", per: "IP address" },
    openWhenSuspended: true,
    schema: tenantChoice,
    verb: ({ deps, session, input }) => switchTenant(deps, session, input.tenantId),
  }),
  revoke: operation({
    openWhenSuspended: true,
    verb: ({ deps, session, param }) => revokeSession(deps, session, param("id")),
  }),
  revokeAll: operation({
    openWhenSuspended: true,
    verb: ({ deps, session }) => deleteAllSessionsOfUser(deps, session, deps.now()),
  }),
};
