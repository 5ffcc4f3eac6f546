/** `/event-types`: the types that the tenant publishes, and `/tenant/event-types`: the rules for them. */
import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { EXPORT_MEDIA_TYPES, exportHeaders } from "./export/export";
import { typeImportResult } from "./import/schemas";
import { eventTypes } from "./operations";
import { eventType, eventTypePage, eventTypeVersion, sampleResult, settings, versionList } from "./schemas";
import { summaryView, typeView, versionSummaryView, versionView } from "./view";

const byName = z.object({ name: z.string().meta({ examples: ["order.paid"] }) });
const byVersion = byName.extend({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .meta({ examples: [1] }),
});
const MISSING = { errors: ["NOT_FOUND"], path: byName } as const;

export const eventTypeRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("listEventTypes", "Lists the event types by name, without schemas.", () => ({ 200: eventTypePage })),
    ...serve(
      eventTypes.list,
      (c, { types, nextCursor }) => c.json({ data: types.map(summaryView), nextCursor }),
      "query",
    ),
  )
  .post(
    "/",
    describeRoute("createEventType", "Declares an event type.", () => ({
      201: { body: dataOf(eventType), id: "/data/name" },
      errors: ["CONFLICT"],
    })),
    ...serve(eventTypes.create, (c, declared) => c.json({ data: typeView(declared) }, 201)),
  )
  .get(
    "/export",
    describeRoute("exportEventTypes", "Returns the event types that are not archived as a file.", () => ({
      200: { body: z.unknown(), mediaType: EXPORT_MEDIA_TYPES },
      description: "The file is streamed: if the connection breaks off, it is incomplete.",
    })),
    ...serve(eventTypes.export, (c, file, { format }) => c.body(file, 200, exportHeaders(format)), "query"),
  )
  .post(
    "/import",
    describeRoute(
      "importEventTypes",
      "Creates and changes the event types of a document, all of them or none.",
      () => ({
        200: dataOf(typeImportResult),
        errors: ["CONFLICT"],
        description:
          "Types are known by their names. A schema that differs from the newest version becomes the next version. " +
          "Types and fields that are missing stay. Needs `webhook.update` too.",
      }),
    ),
    ...serve(eventTypes.import, (c, data) => c.json({ data })),
  )
  .get(
    "/:name",
    describeRoute("getEventType", "Returns one event type with its newest schema.", () => ({
      200: dataOf(eventType),
      ...MISSING,
    })),
    ...serve(eventTypes.get, (c, declared) => c.json({ data: typeView(declared, declared.subscribers) })),
  )
  .patch(
    "/:name",
    describeRoute("updateEventType", "Changes the given fields of an event type.", () => ({
      200: dataOf(eventType),
      ...MISSING,
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(eventTypes.change, (c, declared) => c.json({ data: typeView(declared) })),
  )
  .delete(
    "/:name",
    describeRoute("deleteEventType", "Deletes an event type with its versions. Subscriptions stay.", () => MISSING),
    ...serve(eventTypes.delete, saying("Event type deleted")),
  )
  .post(
    "/:name/versions",
    describeRoute("addEventTypeVersion", "Adds a version of the schema, and says what it breaks.", () => ({
      201: dataOf(eventTypeVersion),
      200: dataOf(eventTypeVersion),
      ...MISSING,
      errors: ["NOT_FOUND", "CONFLICT"],
      description: "200 if the schema equals the newest one, key order apart: nothing is added.",
    })),
    ...serve(eventTypes.addVersion, (c, { row, isNew }) => c.json({ data: versionView(row) }, isNew ? 201 : 200)),
  )
  .get(
    "/:name/versions",
    describeRoute("listEventTypeVersions", "Lists the versions, newest first, without schemas.", () => ({
      200: dataOf(versionList),
      ...MISSING,
    })),
    ...serve(eventTypes.versions, (c, versions) => c.json({ data: versions.map(versionSummaryView) })),
  )
  .get(
    "/:name/versions/:version",
    describeRoute("getEventTypeVersion", "Returns one version of the schema.", () => ({
      200: dataOf(eventTypeVersion),
      errors: ["NOT_FOUND"],
      path: byVersion,
    })),
    ...serve(eventTypes.version, (c, row) => c.json({ data: versionView(row) })),
  )
  .post(
    "/:name/validate",
    describeRoute("validatePayload", "Says whether a payload fits the schema. Writes nothing.", () => ({
      200: dataOf(sampleResult),
      ...MISSING,
      errors: ["NOT_FOUND", "CONFLICT"],
    })),
    ...serve(eventTypes.validate, (c, data) => c.json({ data })),
  );

export const eventTypeSettingsRoutes = new Hono<AppEnv>()
  .get(
    "/",
    describeRoute("getEventTypeSettings", "Which event types can be published, and who sees them.", () => ({
      200: dataOf(settings),
    })),
    ...serve(eventTypes.settings, (c, data) => c.json({ data })),
  )
  .patch(
    "/",
    describeRoute("updateEventTypeSettings", "Changes which event types can be published, and who sees them.", () => ({
      200: dataOf(settings),
      errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
      description:
        "Making the catalogue public needs a slug, and an owner with a verified address. In the tenant of the " +
        "platform, a platform key with `webhooks.write` can do it too.",
    })),
    ...serve(eventTypes.changeSettings, (c, data) => c.json({ data })),
  );
