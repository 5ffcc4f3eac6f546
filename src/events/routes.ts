/** `/events`: publishing over HTTP. */
import { Hono } from "hono";
import { z } from "zod";
import { invalid } from "../errors";
import type { AppEnv } from "../http/env";
import { can } from "../http/permissions";
import { byTenant, limit } from "../http/rate-limit";
import { describeRoute } from "../http/route-docs";
import { body } from "../http/validate";
import { dataOf } from "../wire/schemas";
import { idempotencyKey, publication, published } from "./publication";
import { publish } from "./publish";

export const eventRoutes = new Hono<AppEnv>().post(
  "/",
  describeRoute("publishEvent", "Publishes an event to every subscription that wants its type.", {
    202: dataOf(published),
    headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
    errors: ["CONFLICT"],
    description: "Durable once answered; delivered at least once. The body may hold 256 KiB.",
  }),
  limit("publish", byTenant),
  can("event.publish"),
  body(publication),
  async (c) => {
    const key = c.req.header("idempotency-key") ?? null;
    const checked = idempotencyKey.nullable().safeParse(key);
    if (!checked.success) throw invalid(checked.error, "Idempotency-Key");
    const { correlationId } = c.req.valid("json");
    c.set("logFields", { correlationId });
    const event = await publish(c.get("deps"), c.get("principal").tenantId, c.req.valid("json"), key);
    c.set("logFields", { correlationId, eventId: event.id });
    return c.json({ data: event }, 202);
  },
);
