/** `/events`: publishing over HTTP. */
import { Hono } from "hono";
import { invalid } from "../errors";
import type { AppEnv } from "../http/env";
import { can } from "../http/principal";
import { byTenant, limit } from "../http/rate-limit";
import { body } from "../http/validate";
import { idempotencyKey, publication } from "./publication";
import { publish } from "./publish";

export const eventRoutes = new Hono<AppEnv>().post(
  "/",
  can("event.publish"),
  limit("publish", byTenant),
  body(publication),
  async (c) => {
    const key = c.req.header("idempotency-key") ?? null;
    const checked = idempotencyKey.nullable().safeParse(key);
    if (!checked.success) throw invalid(checked.error, "Idempotency-Key");
    const published = await publish(c.get("deps"), c.get("principal").tenantId, c.req.valid("json"), key);
    return c.json({ data: published }, 202);
  },
);
