/** `/event-types`: the types that the tenant publishes, and `/tenant/event-types`: the rules for them. */

import * as z from "zod";
import { notFound } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { IMPORT_TYPES, READ_TYPES, SEE_TYPES, TEST_RULES, WRITE_TYPES } from "../access";
import { EXPORT_MEDIA_TYPES, exportHeaders, exportTypes } from "./export/export";
import { typesExport } from "./export/schemas";
import { importTypes } from "./import/import";
import { typeImport, typeImportResult } from "./import/schemas";
import {
  eventType,
  eventTypeChange,
  eventTypePage,
  eventTypeQuery,
  eventTypeVersion,
  newEventType,
  newVersion,
  sample,
  sampleResult,
  settings,
  settingsChange,
  versionList,
} from "./schemas";
import { changeSettings, readSettings } from "./settings";
import { countSubscribers, listTypes, listVersions } from "./store";
import { addVersion, changeType, createType, removeType, trySample, typeOf, versionOf } from "./types";
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

/** A schema with its examples. */
const SCHEMA_KIB = 256;

export const eventTypes = {
  list: endpoint({
    id: "listEventTypes",
    summary: "Lists the event types by name, without schemas.",
    ...SEE_TYPES,
    schema: eventTypeQuery,
    answers: () => ({ 200: eventTypePage }),
    verb: ({ deps, principal, input }) => listTypes(deps, principal, input),
    answer: (c, { types, nextCursor }) => c.json({ data: types.map(summaryView), nextCursor }),
  }),
  create: endpoint({
    id: "createEventType",
    summary: "Declares an event type.",
    ...WRITE_TYPES,
    permission: "webhook.create",
    bodyKiB: SCHEMA_KIB,
    schema: newEventType,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: { body: dataOf(eventType), id: "/data/name" } }),
    verb: ({ deps, principal, input }) => createType(deps, principal, input),
    answer: (c, declared) => c.json({ data: typeView(declared) }, 201),
  }),
  get: endpoint({
    id: "getEventType",
    summary: "Returns one event type with its newest schema.",
    ...SEE_TYPES,
    answers: () => ({ 200: dataOf(eventType), ...MISSING }),
    verb: async ({ deps, principal, param }) => {
      const declared = await typeOf(deps, principal, param("name"));
      return { ...declared, subscribers: await countSubscribers(deps, principal, declared.type.name) };
    },
    answer: (c, declared) => c.json({ data: typeView(declared, declared.subscribers) }),
  }),
  change: endpoint({
    id: "updateEventType",
    summary: "Changes the given fields of an event type.",
    ...WRITE_TYPES,
    permission: "webhook.update",
    bodyKiB: SCHEMA_KIB,
    schema: eventTypeChange,
    errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 200: dataOf(eventType), ...MISSING }),
    verb: ({ deps, principal, param, input }) => changeType(deps, principal, param("name"), input),
    answer: (c, declared) => c.json({ data: typeView(declared) }),
  }),
  delete: endpoint({
    id: "deleteEventType",
    summary: "Deletes an event type with its versions. Subscriptions stay.",
    ...WRITE_TYPES,
    permission: "webhook.delete",
    answers: () => MISSING,
    verb: ({ deps, principal, param }) => removeType(deps, principal, param("name")),
    answer: saying("Event type deleted"),
  }),
  addVersion: endpoint({
    id: "addEventTypeVersion",
    summary: "Adds a version of the schema, and says what it breaks.",
    description: "200 if the schema equals the newest one, key order apart: nothing is added.",
    ...WRITE_TYPES,
    permission: "webhook.update",
    bodyKiB: SCHEMA_KIB,
    schema: newVersion,
    errors: ["NOT_FOUND", "CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: dataOf(eventTypeVersion), 200: dataOf(eventTypeVersion), ...MISSING }),
    verb: ({ deps, principal, param, input }) => addVersion(deps, principal, param("name"), input),
    answer: (c, { row, isNew }) => c.json({ data: versionView(row) }, isNew ? 201 : 200),
  }),
  versions: endpoint({
    id: "listEventTypeVersions",
    summary: "Lists the versions, newest first, without schemas.",
    ...READ_TYPES,
    answers: () => ({ 200: dataOf(versionList), ...MISSING }),
    verb: async ({ deps, principal, param }) => {
      const { type } = await typeOf(deps, principal, param("name"));
      return listVersions(deps, principal, type.name);
    },
    answer: (c, versions) => c.json({ data: versions.map(versionSummaryView) }),
  }),
  version: endpoint({
    id: "getEventTypeVersion",
    summary: "Returns one version of the schema.",
    ...READ_TYPES,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(eventTypeVersion), path: byVersion }),
    verb: ({ deps, principal, param }) => {
      const version = param("version");
      if (!/^[1-9]\d{0,3}$/.test(version)) throw notFound("Version");
      return versionOf(deps, principal, param("name"), Number(version));
    },
    answer: (c, row) => c.json({ data: versionView(row) }),
  }),
  validate: endpoint({
    id: "validatePayload",
    summary: "Says whether a payload fits the schema. Writes nothing.",
    ...TEST_RULES,
    schema: sample,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(sampleResult), ...MISSING }),
    verb: ({ deps, principal, param, input }) => trySample(deps, principal, param("name"), input),
    answer: (c, data) => c.json({ data }),
  }),
  export: endpoint({
    id: "exportEventTypes",
    summary: "Returns the event types that are not archived as a file.",
    description: "At most 32 MiB. A large file is streamed: if the connection breaks off, it is incomplete.",
    ...READ_TYPES,
    schema: typesExport,
    errors: ["PAYLOAD_TOO_LARGE"],
    answers: () => ({ 200: { body: z.unknown(), mediaType: EXPORT_MEDIA_TYPES } }),
    verb: ({ deps, principal, input }) => exportTypes(deps, principal, input.format),
    answer: (c, file, { format }) => c.body(file, 200, exportHeaders(format)),
  }),
  import: endpoint({
    id: "importEventTypes",
    summary: "Creates and changes the event types of a document.",
    description:
      "Types are known by their names. A schema that differs from the newest version becomes the next version. " +
      "Types and fields that are missing stay. What cannot be taken is listed and holds up nothing else; 400 if no " +
      "type can be taken. Needs `webhook.update` too.",
    ...IMPORT_TYPES,
    permission: "webhook.create",
    also: "webhook.update",
    schema: typeImport,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 200: dataOf(typeImportResult) }),
    verb: ({ deps, principal, input }) => importTypes(deps, principal, input),
    answer: (c, data) => c.json({ data }),
  }),
  settings: endpoint({
    id: "getEventTypeSettings",
    summary: "Which event types can be published, and who sees them.",
    ...READ_TYPES,
    answers: () => ({ 200: dataOf(settings) }),
    verb: ({ deps, principal }) => readSettings(deps, principal),
    answer: (c, data) => c.json({ data }),
  }),
  changeSettings: endpoint({
    id: "updateEventTypeSettings",
    summary: "Changes which event types can be published, and who sees them.",
    description:
      "Making the catalogue public needs a slug, and an owner with a verified address. In the tenant of the " +
      "platform, a platform key with `webhooks.write` can do it too.",
    ...WRITE_TYPES,
    callers: ["session", "platform-key"],
    permission: "member.manage",
    permissionInPlatform: "webhook.update",
    schema: settingsChange,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 200: dataOf(settings) }),
    verb: ({ deps, principal, input }) => changeSettings(deps, principal, input),
    answer: (c, data) => c.json({ data }),
  }),
};

export const eventTypeRoutes = routes({
  "GET /": eventTypes.list,
  "POST /": eventTypes.create,
  "GET /export": eventTypes.export,
  "POST /import": eventTypes.import,
  "GET /:name": eventTypes.get,
  "PATCH /:name": eventTypes.change,
  "DELETE /:name": eventTypes.delete,
  "POST /:name/versions": eventTypes.addVersion,
  "GET /:name/versions": eventTypes.versions,
  "GET /:name/versions/:version": eventTypes.version,
  "POST /:name/validate": eventTypes.validate,
});

export const eventTypeSettingsRoutes = routes({
  "GET /": eventTypes.settings,
  "PATCH /": eventTypes.changeSettings,
});
