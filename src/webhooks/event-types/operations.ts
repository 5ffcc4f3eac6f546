/** What people and programs do with event types. */
import { notFound } from "../../base/errors";
import { operation } from "../../base/operation";
import { IMPORT_TYPES, READ_TYPES, TEST_RULES, WRITE_TYPES } from "../access";
import { exportTypes } from "./export/export";
import { typesExport } from "./export/schemas";
import { importTypes } from "./import/import";
import { typeImport } from "./import/schemas";
import { eventTypeChange, eventTypeQuery, newEventType, newVersion, sample, settingsChange } from "./schemas";
import { changeSettings, readSettings } from "./settings";
import { countSubscribers, listTypes, listVersions } from "./store";
import { addVersion, changeType, createType, removeType, trySample, typeOf, versionOf } from "./types";

/** A schema with its examples. */
const SCHEMA_KIB = 256;

export const eventTypes = {
  list: operation({
    ...READ_TYPES,
    schema: eventTypeQuery,
    verb: ({ deps, principal, input }) => listTypes(deps, principal, input),
  }),
  create: operation({
    ...WRITE_TYPES,
    permission: "webhook.create",
    bodyKiB: SCHEMA_KIB,
    schema: newEventType,
    verb: ({ deps, principal, input }) => createType(deps, principal, input),
  }),
  get: operation({
    ...READ_TYPES,
    verb: async ({ deps, principal, param }) => {
      const declared = await typeOf(deps, principal, param("name"));
      return { ...declared, subscribers: await countSubscribers(deps, principal, declared.type.name) };
    },
  }),
  change: operation({
    ...WRITE_TYPES,
    permission: "webhook.update",
    bodyKiB: SCHEMA_KIB,
    schema: eventTypeChange,
    verb: ({ deps, principal, param, input }) => changeType(deps, principal, param("name"), input),
  }),
  delete: operation({
    ...WRITE_TYPES,
    permission: "webhook.delete",
    verb: ({ deps, principal, param }) => removeType(deps, principal, param("name")),
  }),
  addVersion: operation({
    ...WRITE_TYPES,
    permission: "webhook.update",
    bodyKiB: SCHEMA_KIB,
    schema: newVersion,
    verb: ({ deps, principal, param, input }) => addVersion(deps, principal, param("name"), input),
  }),
  versions: operation({
    ...READ_TYPES,
    verb: async ({ deps, principal, param }) => {
      const { type } = await typeOf(deps, principal, param("name"));
      return listVersions(deps, principal, type.name);
    },
  }),
  version: operation({
    ...READ_TYPES,
    verb: ({ deps, principal, param }) => {
      const version = param("version");
      if (!/^[1-9]\d{0,3}$/.test(version)) throw notFound("Version");
      return versionOf(deps, principal, param("name"), Number(version));
    },
  }),
  validate: operation({
    ...TEST_RULES,
    schema: sample,
    verb: ({ deps, principal, param, input }) => trySample(deps, principal, param("name"), input),
  }),
  export: operation({
    ...READ_TYPES,
    schema: typesExport,
    verb: ({ deps, principal, input }) => exportTypes(deps, principal, input.format),
  }),
  import: operation({
    ...IMPORT_TYPES,
    permission: "webhook.create",
    also: "webhook.update",
    schema: typeImport,
    verb: ({ deps, principal, input }) => importTypes(deps, principal, input),
  }),
  settings: operation({
    ...READ_TYPES,
    verb: ({ deps, principal }) => readSettings(deps, principal),
  }),
  changeSettings: operation({
    ...WRITE_TYPES,
    callers: ["session", "platform-key"],
    permission: "member.manage",
    permissionInPlatform: "webhook.update",
    schema: settingsChange,
    verb: ({ deps, principal, input }) => changeSettings(deps, principal, input),
  }),
};
