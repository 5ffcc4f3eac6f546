/** `/events`: publishing over HTTP, and the outcomes of events. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { invalid } from "../../base/errors";
import { keepBodyText } from "../../base/http/body";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { body } from "../../base/http/validate";
import { dataOf } from "../../base/schemas/schemas";
import { PUBLISH, PUBLISH_BATCH, READ_DELIVERIES } from "../access";
import { eventDetail, eventsOf } from "./outcomes";
import { idempotencyKey, type Published, publication, publicationBatch, published, versionAsked } from "./publication";
import { type PublishedOrRepeat, publishOrFind, shown } from "./publish";
import { rawPayload, rawPayloads } from "./raw-payload";
import { eventDetailPage, eventListQuery, eventPage, eventQuery } from "./schemas";

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
    const key = checked(idempotencyKey.nullable(), c.req.header("idempotency-key") || null);
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
    checked(noHeaderKey, c.req.header("idempotency-key") || null);
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

export const events = {
  list: endpoint({
    id: "listEvents",
    summary: "Lists the published events, newest first, page by page.",
    description: "A page may be short or empty although more follow: continue until `nextCursor` is null.",
    ...READ_DELIVERIES,
    schema: eventListQuery,
    answers: () => ({ 200: eventPage }),
    verb: ({ deps, principal, input }) => eventsOf(deps, principal, input),
    answer: (c, page) => c.json(page),
  }),
  get: endpoint({
    id: "getEvent",
    summary: "Returns an event, and what became of it for each subscription that wanted it.",
    description:
      "`subscriptions` says for each whether the event was delivered, has failed, waits or was skipped, and why. " +
      "Continue with `cursor` until `nextCursor` is null.",
    ...READ_DELIVERIES,
    schema: eventQuery,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: eventDetailPage }),
    verb: ({ deps, principal, param, input }) => eventDetail(deps, principal, param("id"), input.cursor),
    answer: (c, page) => c.json(page),
  }),
};

const reading = routes({
  "GET /": events.list,
  "GET /:id": events.get,
});

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
  .route("/", reading);
