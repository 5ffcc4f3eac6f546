/** `/auth/refresh`, `/auth/logout`, and the sessions of the signed-in user. */

import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { sessions } from "./operations";
import { refreshKey, session, tokenPair } from "./schemas";
import { sessionView } from "./view";

export const publicSessionRoutes = new Hono<AppEnv>()
  .post(
    "/refresh",
    describeRoute("refresh", "Exchanges a refresh token for a new pair of tokens.", () => ({
      200: dataOf(tokenPair),
      headers: z.object({ "Idempotency-Key": refreshKey.optional() }),
      errors: ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_EXPIRED", "REFRESH_TOKEN_REUSED"],
      description: "Each refresh token works once. Using an old one again ends the session.",
    })),
    ...serve(sessions.refresh, (c, data) => c.json({ data })),
  )
  .post(
    "/logout",
    describeRoute("logout", "Ends the session of a refresh token."),
    ...serve(sessions.logout, saying("Logged out successfully.")),
  );

export const sessionRoutes = new Hono<AppEnv>()
  .post(
    "/switch-tenant",
    describeRoute(
      "switchTenant",
      "Moves the session to another tenant of the user and returns its new token pair.",
      () => ({
        200: dataOf(tokenPair),
        errors: ["NOT_FOUND", "CONFLICT"],
        description: "The old pair ends. A login without `tenantId` opens the tenant that was used last.",
      }),
    ),
    ...serve(sessions.switchTenant, (c, { tokens }) => c.json({ data: tokens })),
  )
  .post(
    "/logout-all",
    describeRoute("logoutAll", "Ends every session of the user."),
    ...serve(sessions.revokeAll, saying("Logged out from all devices.")),
  )
  .get(
    "/sessions",
    describeRoute("listSessions", "The user's sessions, oldest first.", () => ({
      200: { body: dataOf(z.array(session)), id: "/data/0/id" },
    })),
    ...serve(sessions.list, (c, rows) => c.json({ data: rows.map((row) => sessionView(row, sessionOf(c).sessionId)) })),
  )
  .delete(
    "/sessions/:id",
    describeRoute("revokeSession", "Ends one session of the user.", () => ({
      errors: ["NOT_FOUND"],
    })),
    ...serve(sessions.revoke, saying("Session revoked.")),
  );
