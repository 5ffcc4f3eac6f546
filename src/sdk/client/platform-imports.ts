/** `/platform/imports`: people of another service. */
import type { Call, CallOptions } from "./call";
import type { Import, ImportedLine, ImportPart, ImportStart, NewImport } from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";

/** From where on imports are listed. */
export interface ImportFilter {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Which lines of a report are listed, and from where on. */
export interface ImportReportFilter extends ImportFilter {
  outcome?: ImportedLine["outcome"] | undefined;
}

/**
 * `client.platform.imports`, with a platform key that has the scope `users.write`.
 *
 * @example
 * const { id } = await client.platform.imports.create({ name: "From Auth0" });
 * await client.platform.imports.putPart(id, 1, '{"email":"ada@example.com","emailVerified":true}');
 * await client.platform.imports.start(id, { parts: 1 });
 */
export interface PlatformImportMethods {
  /** Creates an import, to which you send parts. Throws FORBIDDEN, VALIDATION_FAILED, CONFLICT. */
  create(body?: NewImport, options?: CallOptions): Promise<Import>;
  /**
   * Sends a part: people as NDJSON, one in a line, in up to 5 MiB and 20,000 lines. It replaces a former part of that
   * number. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, PAYLOAD_TOO_LARGE, and CONFLICT after the start.
   */
  putPart(importId: string, part: number, people: string, options?: CallOptions): Promise<ImportPart>;
  /** Starts an import that has its parts. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, CONFLICT. */
  start(importId: string, body: ImportStart, options?: CallOptions): Promise<Import>;
  /** Returns the imports of the last 90 days, newest first. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: ImportFilter, options?: CallOptions): Paged<Import>;
  /** Returns an import and its progress. Throws FORBIDDEN, NOT_FOUND. */
  get(importId: string, options?: CallOptions): Promise<Import>;
  /** Returns what became of the lines. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  report(importId: string, filter?: ImportReportFilter, options?: CallOptions): Paged<ImportedLine>;
  /** Stops an import; what is done stays. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  stop(importId: string, options?: CallOptions): Promise<string>;
}

export function platformImportMethods(call: Call): PlatformImportMethods {
  const at = (id: string, rest = "") => `/platform/imports/${segment(id)}${rest}`;
  return {
    create: (body = {}, options) => call.data("POST /platform/imports", { ...options, body }),
    putPart: (id, part, people, options) =>
      call.data(`PUT ${at(id, `/parts/${segment(String(part))}`)}`, { ...options, ndjson: people }),
    start: (id, body, options) => call.data(`POST ${at(id, "/start")}`, { ...options, body }),
    list: (filter, options) =>
      paged((cursor) => call.answer(`GET /platform/imports${query({ ...filter, cursor })}`, options), filter?.cursor),
    get: (id, options) => call.data(`GET ${at(id)}`, options),
    report: (id, filter, options) =>
      paged(
        (cursor) => call.answer(`GET ${at(id, "/report")}${query({ ...filter, cursor })}`, options),
        filter?.cursor,
      ),
    stop: (id, options) => call.message(`DELETE ${at(id)}`, options),
  };
}
