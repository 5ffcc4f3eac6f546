/** `/auth/refresh`, `/auth/logout`, and the sessions of the signed-in user. */

import { type Context, Hono } from "hono";
import * as z from "zod";
import { invalidField } from "../../platform/errors";
import { clientContextOf } from "../../platform/http/client-context";
import type { AppEnv } from "../../platform/http/env";
import { action, serve } from "../../platform/http/operation";
import { originOf } from "../../platform/http/origin";
import { sessionOf, sessionOnly } from "../../platform/http/permissions";
import { limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { sessions } from "./operations";
import { logout, refresh } from "./refresh";
import { refreshKey, refreshTokenBody, session, tokenPair } from "./schemas";
import { listSessionsOfUser } from "./store";
import { sessionView } from "./view";

const LOGGED_OUT = "Logged out successfully.";

function idempotencyKeyOf(c: Context<AppEnv>): string | null {
  const given = c.req.header("idempotency-key");
  if (given === undefined) return null;
  const parsed = refreshKey.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidField("Idempotency-Key", "Must be a UUID");
}

export const publicSessionRoutes = new Hono<AppEnv>()
  .post(
    "/refresh",
    describeRoute("refresh", "Exchanges a refresh token for a new pair of tokens.", {
      200: dataOf(tokenPair),
      headers: z.object({ "Idempotency-Key": refreshKey.optional() }),
      errors: ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_EXPIRED", "REFRESH_TOKEN_REUSED"],
      description: "Each refresh token works once. Using an old one again ends the session.",
    }),
    limit("refresh", "IP address"),
    body(refreshTokenBody),
    async (c) => {
      const { refreshToken } = c.req.valid("json");
      return c.json({ data: await refresh(c.get("deps"), refreshToken, idempotencyKeyOf(c), clientContextOf(c)) });
    },
  )
  .post(
    "/logout",
    describeRoute("logout", "Ends the session of a refresh token.", { 200: says(LOGGED_OUT) }),
    body(refreshTokenBody),
    async (c) => {
      await logout(c.get("deps"), c.req.valid("json").refreshToken, originOf(c));
      return c.json({ message: LOGGED_OUT });
    },
  );

export const sessionRoutes = new Hono<AppEnv>()
  .post(
    "/switch-tenant",
    describeRoute("switchTenant", "Moves the session to another tenant of the user and returns its new token pair.", {
      200: dataOf(tokenPair),
      errors: ["NOT_FOUND", "CONFLICT"],
      description: "The old pair ends. A login without `tenantId` opens the tenant that was used last.",
    }),
    sessionOnly,
    ...serve(sessions.switchTenant, (c, { tokens }) => c.json({ data: tokens })),
  )
  .post(
    "/logout-all",
    sessionOnly,
    ...action(sessions.revokeAll, {
      id: "logoutAll",
      summary: "Ends every session of the user.",
      message: "Logged out from all devices.",
    }),
  )
  .get(
    "/sessions",
    describeRoute("listSessions", "The user's sessions, oldest first.", {
      200: { body: dataOf(z.array(session)), id: "/data/0/id" },
    }),
    sessionOnly,
    async (c) => {
      const deps = c.get("deps");
      const { userId, sessionId } = sessionOf(c);
      const rows = await listSessionsOfUser(deps, userId, deps.now());
      return c.json({ data: rows.map((row) => sessionView(row, sessionId)) });
    },
  )
  .delete(
    "/sessions/:id",
    sessionOnly,
    ...action(sessions.revoke, {
      id: "revokeSession",
      summary: "Ends one session of the user.",
      message: "Session revoked.",
      errors: ["NOT_FOUND"],
    }),
  );
