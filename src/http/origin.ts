/** A request as the audit log records it. */
import type { Context } from "hono";
import type { RequestOrigin } from "../audit/actor";
import type { AppEnv } from "./env";

const MAX_USER_AGENT_CHARACTERS = 256;

export const originOf = (c: Context<AppEnv>): RequestOrigin => ({
  ip: c.get("clientIp") === "unknown" ? null : c.get("clientIp"),
  userAgent: c.req.header("user-agent")?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
  requestId: c.get("requestId"),
});
