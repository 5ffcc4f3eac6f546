/** `/events`: publishing over HTTP, and the outcomes of events. */

import { type Context, Hono } from "hono";
import * as z from "zod";
import { invalid } from "../../base/errors";
import { keepBodyText } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { body } from "../../base/http/validate";
import { dataOf } from "../../base/schemas/schemas";
import { PUBLISH, PUBLISH_BATCH } from "../access";
import { events } from "./operations";
import { idempotencyKey, type Published, publication, publicationBatch, published, versionAsked } from "./publication";
import { type PublishedOrRepeat, publishOrFind, shown } from "./publish";
import { rawPayload, rawPayloads } from "./raw-payload";
import { eventDetailPage, eventPage } from "./schemas";

const noHeaderKey = z.null("Give each event an idempotencyKey instead");

/** A request whose body fits the schema. */
type Valid<S extends z.ZodType> = Context<AppEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }>;

/** What serves `POST /events`. */
export const publishOne = [
  requires(PUBLISH),
  keepBodyText,
  body(publication),
  async (c: Valid<typeof publication>) => {
    const { type, payload, correlationId, orderKey, schemaVersion } = c.req.valid("json");
    const key = checked(idempotencyKey.nullable(), c.req.header("idempotency-key") ?? null);
    c.set("logFields", { correlationId });
    const input = {
      type,
      payload: rawPayload(await c.req.text()) ?? JSON.stringify(payload),
      correlationId: correlationId ?? null,
      idempotencyKey: key,
      orderKey: orderKey ?? null,
      schemaVersion: versionAsked(schemaVersion),
    };
    const [event] = told(c, await publishOrFind(c.get("deps"), c.get("principal"), [input], 1));
    if (!event) throw new Error("no event was accepted");
    c.set("logFields", { correlationId, eventId: event.id });
    return c.json({ data: event }, 202);
  },
] as const;

/** What serves `POST /events/batch`. */
export const publishBatch = [
  requires(PUBLISH_BATCH),
  keepBodyText,
  body(publicationBatch),
  async (c: Valid<typeof publicationBatch>) => {
    const { events } = c.req.valid("json");
    checked(noHeaderKey, c.req.header("idempotency-key") ?? null);
    const payloads = rawPayloads(await c.req.text());
    const inputs = events.map(({ type, payload, idempotencyKey: key, ...event }, position) => ({
      type,
      payload: payloads[position] ?? JSON.stringify(payload),
      correlationId: event.correlationId ?? null,
      idempotencyKey: key ?? null,
      orderKey: event.orderKey ?? null,
      schemaVersion: versionAsked(event.schemaVersion),
      path: `events.${position}.`,
    }));
    return c.json({ data: told(c, await publishOrFind(c.get("deps"), c.get("principal"), inputs, 1)) }, 202);
  },
] as const;

export const eventRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("publishEvent", "Publishes an event to every subscription that receives its type.", () => ({
      202: dataOf(published),
      headers: z.object({ "Idempotency-Key": idempotencyKey.optional() }),
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED", "SERVICE_UNAVAILABLE"],
      description:
        "The event is stored before the answer and delivered at least once. The body may have up to 256 KiB.",
    })),
    ...publishOne,
  )
  .post(
    "/batch",
    describeRoute("publishEvents", "Publishes up to 100 events, either all or none.", () => ({
      202: dataOf(z.array(published)),
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED", "SERVICE_UNAVAILABLE"],
      description:
        "The answer lists the events in the order of the request. The body may have up to 1 MiB. Limits count each " +
        "event.",
    })),
    ...publishBatch,
  )
  .get(
    "/",
    describeRoute("listEvents", "Lists the published events, newest first, page by page.", () => ({
      200: eventPage,
      description: "A page may be short or empty although more follow: continue until `nextCursor` is null.",
    })),
    ...serve(events.list, (c, page) => c.json(page), "query"),
  )
  .get(
    "/:id",
    describeRoute("getEvent", "Returns an event, and what became of it for each subscription that wanted it.", () => ({
      200: eventDetailPage,
      errors: ["NOT_FOUND"],
      description:
        "`subscriptions` says for each whether the event was delivered, has failed, waits or was skipped, and why. " +
        "Continue with `cursor` until `nextCursor` is null.",
    })),
    ...serve(events.get, (c, page) => c.json(page), "query"),
  );

/** What the answer shows of the events. Its headers say how many warnings there are, and the earliest deprecation. */
function told(c: Context<AppEnv>, events: readonly PublishedOrRepeat[]): Published[] {
  const warnings = events.reduce((sum, event) => sum + (event.warnings?.length ?? 0), 0);
  if (warnings > 0) c.header("X-Postern-Warning", String(warnings));
  const sinceMs = Math.min(...events.map(({ deprecatedSince = Infinity }) => deprecatedSince));
  // RFC 9745.
  if (sinceMs !== Infinity) c.header("Deprecation", `@${Math.floor(sinceMs / 1000)}`);
  return events.map(shown);
}

/** Checks the header `Idempotency-Key` and returns its value. Throws VALIDATION_FAILED. */
function checked<T>(schema: z.ZodType<T>, key: string | null): T {
  const result = schema.safeParse(key);
  if (!result.success) throw invalid(result.error, "Idempotency-Key");
  return result.data;
}
