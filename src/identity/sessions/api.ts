/** `/auth/refresh`, `/auth/logout`, and the sessions of the signed-in user. */

import * as z from "zod";
import { checkedHeader } from "../../base/checked-header";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { dataOf } from "../../base/schemas/schemas";
import { deleteAllSessionsOfUser } from "./logout-all-store";
import { logout, refresh } from "./refresh";
import { revokeSession } from "./revoke";
import { refreshKey, refreshTokenBody, session, tenantChoice, tokenPair } from "./schemas";
import { listSessionsOfUser } from "./store";
import { switchTenant } from "./switch-tenant";
import { sessionView } from "./view";

export const sessions = {
  refresh: endpoint({
    id: "refresh",
    summary: "Exchanges a refresh token for a new pair of tokens.",
    description: "Each refresh token works once. Using an old one again ends the session.",
    callers: "anybody",
    limit: { rule: "refresh", per: "IP address" },
    schema: refreshTokenBody,
    errors: ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_EXPIRED", "REFRESH_TOKEN_REUSED", "SIGN_ON_REQUIRED"],
    answers: () => ({ 200: dataOf(tokenPair), headers: z.object({ "Idempotency-Key": refreshKey.optional() }) }),
    verb: ({ deps, input, client, unchecked }) =>
      refresh(deps, input.refreshToken, checkedHeader(unchecked, "Idempotency-Key", refreshKey.nullable()), client),
    answer: (c, data) => c.json({ data }),
  }),
  logout: endpoint({
    id: "logout",
    summary: "Ends the session of a refresh token.",
    callers: "anybody",
    schema: refreshTokenBody,
    verb: ({ deps, input, client }) => logout(deps, input.refreshToken, client.origin),
    answer: saying("Logged out successfully."),
  }),
  list: endpoint({
    id: "listSessions",
    summary: "The user's sessions, oldest first.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    answers: () => ({ 200: { body: dataOf(z.array(session)), id: "/data/0/id" } }),
    verb: ({ deps, session }) => listSessionsOfUser(deps, session, deps.now()),
    answer: (c, rows) => c.json({ data: rows.map((row) => sessionView(row, sessionOf(c).sessionId)) }),
  }),
  switchTenant: endpoint({
    id: "switchTenant",
    summary: "Moves the session to another tenant of the user and returns its new token pair.",
    description: "The old pair ends. A login without `tenantId` opens the tenant that was used last.",
    limit: { rule: "refresh", per: "IP address" },
    openWhenSuspended: true,
    schema: tenantChoice,
    errors: ["NOT_FOUND", "CONFLICT", "SIGN_ON_REQUIRED"],
    answers: () => ({ 200: dataOf(tokenPair) }),
    verb: ({ deps, session, input }) => switchTenant(deps, session, input.tenantId),
    answer: (c, { tokens }) => c.json({ data: tokens }),
  }),
  revoke: endpoint({
    id: "revokeSession",
    summary: "Ends one session of the user.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    errors: ["NOT_FOUND"],
    verb: ({ deps, session, param }) => revokeSession(deps, session, param("id")),
    answer: saying("Session revoked."),
  }),
  revokeAll: endpoint({
    id: "logoutAll",
    summary: "Ends every session of the user.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    verb: ({ deps, session }) => deleteAllSessionsOfUser(deps, session, deps.now()),
    answer: saying("Logged out from all devices."),
  }),
};

export const publicSessionRoutes = routes({
  "POST /refresh": sessions.refresh,
  "POST /logout": sessions.logout,
});

export const sessionRoutes = routes({
  "POST /switch-tenant": sessions.switchTenant,
  "POST /logout-all": sessions.revokeAll,
  "GET /sessions": sessions.list,
  "DELETE /sessions/:id": sessions.revoke,
});
