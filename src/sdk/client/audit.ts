/** `/audit`: who changed what in the tenant. */

import type { Call, CallOptions } from "./call";
import type { AuditEvent, AuditFilter } from "./generated";
import { type Paged, paged } from "./pages";
import { query } from "./path";

/**
 * `client.audit`.
 *
 * @example
 * for await (const event of client.audit.list({ action: "member.*" })) console.log(event.at, event.action);
 */
export interface AuditMethods {
  /** Returns the tenant's audit log, newest first. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: AuditFilter, options?: CallOptions): Paged<AuditEvent>;
}

export const auditMethods = (call: Call): AuditMethods => ({
  list: (filter = {}, options) =>
    paged((cursor) => call.answer(`GET /audit${query({ ...filter, cursor })}`, options), filter.cursor),
});
