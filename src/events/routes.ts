/** `/events`: publishing over HTTP. */
import { Hono } from "hono";
import { z } from "zod";
import { AppError } from "../errors";
import type { AppEnv } from "../http/env";
import { can } from "../http/principal";
import { byTenant, limit } from "../http/rate-limit";
import { body } from "../http/validate";
import { publish } from "./publish";
import { eventType } from "./type";

const publication = z.object({
  type: eventType,
  payload: z.unknown().refine((value) => value !== undefined, "Required"),
  correlationId: z
    .string()
    .max(128)
    .regex(/^[ -~]*$/, "Must be printable ASCII")
    .optional(),
});

const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

export const eventRoutes = new Hono<AppEnv>().post(
  "/",
  can("event.publish"),
  limit("publish", byTenant),
  body(publication),
  async (c) => {
    const key = c.req.header("idempotency-key") ?? null;
    if (key !== null && !IDEMPOTENCY_KEY.test(key)) {
      const message = "Must be 1 to 255 printable ASCII characters";
      throw new AppError("VALIDATION_FAILED", { details: [{ path: "Idempotency-Key", message }] });
    }
    const published = await publish(c.get("deps"), c.get("principal").tenantId, c.req.valid("json"), key);
    return c.json({ data: published }, 202);
  },
);
