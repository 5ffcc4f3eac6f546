/** `/auth/refresh`, `/auth/logout` and what a signed-in user may do with their sessions. */
import { type Context, Hono } from "hono";
import { z } from "zod";
import { AppError, notFound } from "../errors";
import type { AppEnv } from "../http/env";
import { sessionOnly } from "../http/principal";
import { byIp, limit } from "../http/rate-limit";
import { opaqueToken } from "../http/schemas";
import { body } from "../http/validate";
import { logout, refresh } from "./rotation";
import { deleteAllSessionsOfUser, deleteSessionOfUser, listSessionsOfUser } from "./store";
import { sessionView } from "./view";

const refreshTokenBody = z.object({ refreshToken: opaqueToken });
const uuid = z.guid().toLowerCase();

function idempotencyKeyOf(c: Context<AppEnv>): string | null {
  const given = c.req.header("idempotency-key");
  if (given === undefined) return null;
  const parsed = uuid.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", { details: [{ path: "Idempotency-Key", message: "Must be a UUID" }] });
}

export const publicSessionRoutes = new Hono<AppEnv>()
  .post("/refresh", limit("refresh", byIp), body(refreshTokenBody), async (c) => {
    const { refreshToken } = c.req.valid("json");
    return c.json({ data: await refresh(c.get("deps"), refreshToken, idempotencyKeyOf(c)) });
  })
  .post("/logout", body(refreshTokenBody), async (c) => {
    await logout(c.get("deps"), c.req.valid("json").refreshToken);
    return c.json({ message: "Logged out successfully." });
  });

export const sessionRoutes = new Hono<AppEnv>()
  .post("/logout-all", sessionOnly, async (c) => {
    await deleteAllSessionsOfUser(c.get("deps"), c.get("principal").userId);
    return c.json({ message: "Logged out from all devices." });
  })
  .get("/sessions", sessionOnly, async (c) => {
    const deps = c.get("deps");
    const { userId, sessionId } = c.get("principal");
    const rows = await listSessionsOfUser(deps, userId, deps.now());
    return c.json({ data: rows.map((row) => sessionView(row, sessionId)) });
  })
  .delete("/sessions/:id", sessionOnly, async (c) => {
    const found = await deleteSessionOfUser(c.get("deps"), c.get("principal").userId, c.req.param("id"));
    if (!found) throw notFound("Session");
    return c.json({ message: "Session revoked." });
  });
