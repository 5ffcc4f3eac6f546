/** `/in/:sourceId`: where providers send their calls. The signature is the credential. */
import { Hono } from "hono";
import * as z from "zod";
import { AppError } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { consume, limitedInside } from "../../../base/http/rate-limit";
import { describeRoute } from "../../../base/http/route-docs";
import { says } from "../../../base/schemas/schemas";
import { authenticateCall, receiveCall } from "../receive";
import { noteError } from "../refusals";

const challenge = z.object({ challenge: z.string() });

export const inboundRoutes = new Hono<AppEnv>().post(
  "/:sourceId",
  describeRoute("receiveInbound", "Receives a webhook of a provider, and publishes it as an event.", () => ({
    202: says("Accepted"),
    200: z.union([says("Already received", "Ignored"), challenge]),
    errors: ["UNAUTHENTICATED", "INVALID_JSON", "VALIDATION_FAILED", "EMAIL_NOT_VERIFIED"],
    path: z.object({ sourceId: z.string().meta({ description: "The id of the source.", examples: ["src_"] }) }),
    description:
      "The provider's signature is the credential. The answer to an unknown source is that to a wrong signature. A " +
      "body of any JSON value with up to 256 KiB is taken.",
  })),
  requires({ callers: "anybody", bodyKiB: 256 }),
  limitedInside("inbound", "source"),
  async (c) => {
    const deps = c.get("deps");
    const call = { headers: c.req.raw.headers, body: new Uint8Array(await c.req.arrayBuffer()) };
    const called = await authenticateCall(deps, c.req.param("sourceId"), call, c.get("clientIp"));
    const { id, tenantId, options } = called.source;
    c.set("logFields", { tenantId });
    try {
      await consume(c, "inbound", id, { max: options.requestsPerMinute });
    } catch (error) {
      if (error instanceof AppError && error.code === "RATE_LIMITED") {
        noteError(deps, id, "rate_limited", call.body.length);
      }
      throw error;
    }
    const { status, ...receipt } = await receiveCall(deps, called, call);
    if (!("eventId" in receipt)) return c.json(receipt, status);
    c.set("logFields", { tenantId, eventId: receipt.eventId });
    return c.json({ message: receipt.message }, status);
  },
);
