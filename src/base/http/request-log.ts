/** The outermost middleware: a request id on every response, and one log line per request. */
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { countRequest, handOverCounts } from "../counts";
import { newId } from "../db/ids";
import { log } from "../log/log";
import type { AppEnv } from "./env";

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{8,128}$/;

export const requestLog = createMiddleware<AppEnv>(async (c, next) => {
  const startedMs = Date.now();
  const given = c.req.header("x-request-id");
  const clientRequestId = given && WELL_FORMED_ID.test(given) ? given : undefined;
  // An id of ours: the audit log has it, and no caller may choose what belongs to one request there.
  const requestId = newId();
  c.set("requestId", requestId);
  c.set("clientRequestId", clientRequestId);
  await next();
  c.res.headers.set("X-Request-Id", clientRequestId ?? requestId);
  countRequest(c.res.status);
  const deps = c.get("deps");
  // Without settings, nothing is known of where to.
  if (deps) handOverCounts(deps);
  log(c.res.status >= 500 ? "error" : "info", "request", {
    requestId,
    clientRequestId,
    tenantId: c.get("principal")?.tenantId,
    method: c.req.method,
    route: matchedRoutes(c).find((route) => route.method !== "ALL")?.path ?? "none",
    status: c.res.status,
    ms: Date.now() - startedMs,
    d1Trips: deps?.trips.trips ?? 0,
    ...c.get("logFields"),
  });
});
