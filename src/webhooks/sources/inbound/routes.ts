/** `/in/:sourceId`: where providers send their calls, and ask whose it is. A call's signature is the credential. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { AppError } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { consume, limitedInside } from "../../../base/http/rate-limit";
import { describeRoute } from "../../../base/http/route-docs";
import { says } from "../../../base/schemas/schemas";
import { emptyStatusFor } from "../content";
import { authenticateCall, receiveCall } from "../receive";
import { noteError, noteUnread, reasonOf } from "../refusals";
import { confirmation, greeting } from "./confirmation";

/** Of Slack, Zoom and Azure. */
const ANSWERED = ["challenge", "plainToken", "encryptedToken", "validationResponse"] as const;
const answered = z.object(Object.fromEntries(ANSWERED.map((name) => [name, z.string().optional()])));
const PATH = z.object({ sourceId: z.string().meta({ description: "The id of the source.", examples: ["src_"] }) });

export const inboundRoutes = new Hono<AppEnv>()
  .get(
    "/:sourceId",
    describeRoute("confirmInbound", "Answers what a provider sends to learn that the URL is yours.", () => ({
      200: { body: z.object({ verification: z.string() }), orText: true },
      errors: ["METHOD_NOT_ALLOWED"],
      path: PATH,
      description:
        "Okta sends a header, whose value it gets back as `verification`, Dropbox and Nylas `challenge`. WebSub and " +
        "the webhooks of Meta send `hub.challenge`, which they get back if `hub.verify_token` is the id of the source.",
    })),
    requires({ callers: "anybody" }),
    (c) => {
      // Trello asks whether there is anything at the URL.
      if (c.req.method === "HEAD") return c.body(null);
      const asked = { headers: c.req.raw.headers, query: new URL(c.req.url).searchParams };
      const answer = confirmation(c.req.param("sourceId"), asked);
      if (answer === null) throw new AppError("METHOD_NOT_ALLOWED", { headers: { Allow: "POST" } });
      return typeof answer === "string" ? c.text(answer) : c.json(answer);
    },
  )
  .post(
    "/:sourceId",
    describeRoute("receiveInbound", "Receives a webhook of a provider, and publishes it as an event.", () => ({
      202: says("Accepted"),
      // As text, Twitch wants its challenge, and others nothing.
      200: { body: z.union([says("Already received", "Ignored"), answered]).meta({ unionOneOf: true }), orText: true },
      204: {},
      errors: ["UNAUTHENTICATED", "INVALID_JSON", "VALIDATION_FAILED", "EMAIL_NOT_VERIFIED"],
      path: PATH,
      description:
        "The provider's signature is the credential. The answer to an unknown source is that to a wrong signature. A " +
        "body of any JSON value with up to 256 KiB is taken, and of those that send forms a form: the event is the " +
        "JSON in its field `payload`, or its fields. Twilio, Xero and the forms of Slack are answered 200 without a " +
        "body, Discord 204, and what asks whose the URL is as its provider wants it.",
    })),
    requires({ callers: "anybody", bodyKiB: 256, takesForm: true }),
    limitedInside("inbound", "source"),
    async (c) => {
      const deps = c.get("deps");
      c.set("hasReachedSource", true);
      const body = new Uint8Array(await c.req.arrayBuffer());
      const asked = greeting(c.req.raw.headers, body);
      if (asked) return c.text("", 200, asked);
      const { pathname, search } = new URL(c.req.url);
      const url = new URL(deps.config.publicUrl ?? c.req.url).origin + pathname + search;
      const call = { headers: c.req.raw.headers, body, url };
      const called = await authenticateCall(deps, c.req.param("sourceId"), call, c.get("clientIp"));
      const { id, tenantId, options } = called.source;
      c.set("logFields", { tenantId });
      try {
        await consume(c, "inbound", id, { max: options.requestsPerMinute });
      } catch (error) {
        noteError(deps, id, reasonOf(error), call.body.length);
        throw error;
      }
      const receipt = await receiveCall(deps, called, call);
      if ("eventId" in receipt) c.set("logFields", { tenantId, eventId: receipt.eventId });
      if ("answer" in receipt) {
        return typeof receipt.answer === "string" ? c.text(receipt.answer) : c.json(receipt.answer);
      }
      const emptyStatus = emptyStatusFor(called.source.provider, options, call.headers);
      if (emptyStatus === 204) return c.body(null, 204);
      return emptyStatus === 200 ? c.text("") : c.json({ message: receipt.message }, receipt.status);
    },
  );

/** Notes calls that are refused before they reach their source: for the size or the media type of their body. */
export const noteEarlyRefusals = createMiddleware<AppEnv>(async (c, next) => {
  // Afterwards, the parameters are those of the handler that refused.
  const called = { sourceId: c.req.param("sourceId") ?? "", clientIp: c.get("clientIp") };
  await next();
  if (c.req.method !== "POST" || c.error === undefined || c.get("hasReachedSource")) return;
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
