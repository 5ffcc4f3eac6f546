/** `/event-types`: the types that the tenant publishes, and the rules for them. */
import type { Call, CallOptions } from "./call";
import type {
  EventType,
  EventTypeChange,
  EventTypeImport,
  EventTypeImportResult,
  EventTypeSample,
  EventTypeSampleResult,
  EventTypeSettings,
  EventTypeSettingsChange,
  EventTypeSummary,
  EventTypeVersion,
  EventTypeVersionSummary,
  NewEventType,
  NewEventTypeVersion,
} from "./generated";
import { type Listed, listed, type Paged, paged } from "./pages";
import { query, segment } from "./path";

/** Which event types to list. */
export interface EventTypeFilter {
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** At most 200; 100 by default. */
  limit?: number | undefined;
  group?: string | undefined;
  /** Only names that begin so. */
  prefix?: string | undefined;
  /** By default, archived types are left out. */
  archived?: "exclude" | "include" | "only" | undefined;
}

/** How event types are exported. */
export interface EventTypesFormat {
  format?: "json" | "openapi" | "asyncapi" | "typescript" | undefined;
}

/**
 * `client.eventTypes`. Every method that takes a name throws NOT_FOUND for one that the tenant has not declared.
 *
 * @example
 * await client.eventTypes.create({ name: "order.paid", schema: { type: "object", required: ["total"] } });
 */
export interface EventTypeMethods {
  /** Returns the event types by name, without schemas. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: EventTypeFilter, options?: CallOptions): Paged<EventTypeSummary>;
  /** Declares an event type and returns it. Throws FORBIDDEN, VALIDATION_FAILED, CONFLICT for a name that is taken. */
  create(body: NewEventType, options?: CallOptions): Promise<EventType>;
  /** Returns one event type with its newest schema. Throws FORBIDDEN, NOT_FOUND. */
  get(name: string, options?: CallOptions): Promise<EventType>;
  /** Changes the given fields and returns the type; null clears one. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  update(name: string, body: EventTypeChange, options?: CallOptions): Promise<EventType>;
  /** Deletes an event type with its versions. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  delete(name: string, options?: CallOptions): Promise<string>;
  /**
   * Adds a version of the schema and returns it, with what it breaks; the newest one if it is equal. Throws FORBIDDEN,
   * NOT_FOUND, VALIDATION_FAILED, and CONFLICT for more than 100.
   */
  addVersion(name: string, body: NewEventTypeVersion, options?: CallOptions): Promise<EventTypeVersion>;
  /** Returns the versions without schemas, newest first. Throws FORBIDDEN, NOT_FOUND. */
  versions(name: string, options?: CallOptions): Listed<EventTypeVersionSummary>;
  /** Returns one version with its schema. Throws FORBIDDEN, NOT_FOUND. */
  version(name: string, version: number, options?: CallOptions): Promise<EventTypeVersion>;
  /**
   * Says whether a payload fits the schema, and publishes nothing. Throws FORBIDDEN, NOT_FOUND, and CONFLICT for a type
   * without a schema.
   */
  validate(name: string, sample: EventTypeSample, options?: CallOptions): Promise<EventTypeSampleResult>;
  /**
   * Creates and changes the types of a document, all of them or none, and says what became of each. Throws FORBIDDEN,
   * VALIDATION_FAILED, and CONFLICT at a limit.
   */
  import(body: EventTypeImport, options?: CallOptions): Promise<EventTypeImportResult>;
  /** Returns the types that are not archived as the text of a file; JSON unless `format` is given. Throws FORBIDDEN. */
  export(filter?: EventTypesFormat, options?: CallOptions): Promise<string>;
  /** Returns which event types can be published. Throws FORBIDDEN. */
  settings(options?: CallOptions): Promise<EventTypeSettings>;
  /** Changes which event types can be published. Throws FORBIDDEN, and UNAUTHENTICATED for an API key. */
  updateSettings(body: EventTypeSettingsChange, options?: CallOptions): Promise<EventTypeSettings>;
}

export function eventTypeMethods(call: Call): EventTypeMethods {
  const at = (name: string, rest = "") => `/event-types/${segment(name)}${rest}`;
  return {
    list: (filter = {}, options) =>
      paged((cursor) => call.answer(`GET /event-types${query({ ...filter, cursor })}`, options), filter.cursor),
    create: (body, options) => call.data("POST /event-types", { ...options, body }),
    get: (name, options) => call.data(`GET ${at(name)}`, options),
    update: (name, body, options) => call.data(`PATCH ${at(name)}`, { ...options, body }),
    delete: (name, options) => call.message(`DELETE ${at(name)}`, options),
    addVersion: (name, body, options) => call.data(`POST ${at(name, "/versions")}`, { ...options, body }),
    versions: (name, options) => listed(call.data(`GET ${at(name, "/versions")}`, options)),
    version: (name, version, options) => call.data(`GET ${at(name, `/versions/${segment(String(version))}`)}`, options),
    validate: (name, sample, options) => call.data(`POST ${at(name, "/validate")}`, { ...options, body: sample }),
    import: (body, options) => call.data("POST /event-types/import", { ...options, body }),
    export: (filter = {}, options) =>
      call.data(`GET /event-types/export${query({ ...filter })}`, { ...options, isFile: true }),
    settings: (options) => call.data("GET /tenant/event-types", options),
    updateSettings: (body, options) => call.data("PATCH /tenant/event-types", { ...options, body }),
  };
}
