/** The device that a request comes from, as a session remembers it. */
import type { Context } from "hono";
import { type Device, describeDevice } from "../sessions/device";
import type { AppEnv } from "./env";
import { clientIp } from "./rate-limit";

export function deviceOf(c: Context<AppEnv>): Device {
  const { cf } = c.req.raw as Request<unknown, IncomingRequestCfProperties>;
  return describeDevice({
    userAgent: c.req.header("user-agent"),
    ipAddress: c.req.header("cf-connecting-ip") ? clientIp(c.req.raw) : undefined,
    city: cf?.city,
    country: cf?.country,
  });
}
