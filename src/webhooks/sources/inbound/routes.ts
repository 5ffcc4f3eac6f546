/** `/in/:sourceId`: where providers send their calls. The signature is the credential. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { consume, limitedInside } from "../../../base/http/rate-limit";
import { describeRoute } from "../../../base/http/route-docs";
import { says } from "../../../base/schemas/schemas";
import { authenticateCall, receiveCall } from "../receive";
import { noteError, noteUnread, reasonOf } from "../refusals";

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
      "body of any JSON value with up to 256 KiB is taken; of GitHub, also a form with it as `payload`.",
  })),
  requires({ callers: "anybody", bodyKiB: 256, takesForm: true }),
  limitedInside("inbound", "source"),
  async (c) => {
    const deps = c.get("deps");
    c.set("hasReachedSource", true);
    const call = { headers: c.req.raw.headers, body: new Uint8Array(await c.req.arrayBuffer()) };
    const called = await authenticateCall(deps, c.req.param("sourceId"), call, c.get("clientIp"));
    const { id, tenantId, options } = called.source;
    c.set("logFields", { tenantId });
    try {
      await consume(c, "inbound", id, { max: options.requestsPerMinute });
    } catch (error) {
      noteError(deps, id, reasonOf(error), call.body.length);
      throw error;
    }
    const { status, ...receipt } = await receiveCall(deps, called, call);
    if (!("eventId" in receipt)) return c.json(receipt, status);
    c.set("logFields", { tenantId, eventId: receipt.eventId });
    return c.json({ message: receipt.message }, status);
  },
);

/** Notes calls that are refused before they reach their source: for the size or the media type of their body. */
export const noteEarlyRefusals = createMiddleware<AppEnv>(async (c, next) => {
  // Afterwards, the parameters are those of the handler that refused.
  const called = { sourceId: c.req.param("sourceId") ?? "", clientIp: c.get("clientIp") };
  await next();
  if (c.error === undefined || c.get("hasReachedSource")) return;
  noteUnread(c.get("deps"), called, reasonOf(c.error), await bytesOf(c));
});

/** The size of the body: of one that was not read, what its header says. */
async function bytesOf({ req }: Context<AppEnv>): Promise<number> {
  const said = Number(req.header("content-length")) || 0;
  if (!req.bodyCache.arrayBuffer) return said;
  return req.arrayBuffer().then(
    ({ byteLength }) => byteLength,
    () => said,
  );
}
