/** A request as the audit log records it. */
import type { Context } from "hono";
import type { RequestOrigin } from "../schemas/actor";
import type { AppEnv } from "./env";

const MAX_USER_AGENT_CHARACTERS = 256;

/** `toWellFormed`, because the cut may split a pair of surrogates, and half a pair cannot be stored as UTF-8. */
const userAgentOf = (c: Context<AppEnv>): string | null =>
  c.req.header("user-agent")?.slice(0, MAX_USER_AGENT_CHARACTERS).toWellFormed() ?? null;

export const originOf = (c: Context<AppEnv>): RequestOrigin => ({
  ip: c.get("clientIp") === "unknown" ? null : c.get("clientIp"),
  userAgent: userAgentOf(c),
  requestId: c.get("requestId"),
});
