/** `/audit`: who changed what in the tenant. */
import type { Call, CallOptions } from "./call";
import { type Paged, paged } from "./pages";
import { query } from "./path";
import type { Timestamp } from "./types";

/** A change, who made it and from where. */
export interface AuditEvent {
  id: string;
  at: Timestamp;
  /** Such as `webhook.created`; the documentation lists them. */
  action: string;
  /**
   * `operator` is somebody who operates the service; `system` the service itself; `anonymous` somebody who was not
   * signed in.
   */
  actor: {
    kind: "user" | "api-key" | "operator" | "system" | "anonymous";
    id: string | null;
    /** The email address of the user or the name of the API key at that time; null once a user is deleted. */
    name: string | null;
  };
  /** What was changed. */
  target: {
    kind: "user" | "session" | "identity" | "api-key" | "invitation" | "webhook" | "tenant";
    id: string;
  } | null;
  /** An IPv4 address or a /64 network. */
  ip: string | null;
  userAgent: string | null;
  /** The `X-Request-Id` of the request. */
  requestId: string | null;
  /** The session that was used or ended. */
  sessionId: string | null;
  /** More about the change: names of fields and values of enumerations. */
  meta: Record<string, unknown> | null;
}

/** Which events to return. */
export interface AuditFilter {
  /** Events on a page, 1 to 200; 50 unless given. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** One action, or all of a group: `webhook.*`. */
  action?: string | undefined;
  /** The id of a user or an API key, or the email address or name that it had. */
  actor?: string | undefined;
  /** The id of what was changed. */
  target?: string | undefined;
  /** An address as events show it. */
  ip?: string | undefined;
  /** ISO 8601 with any offset: events then or later. */
  since?: string | undefined;
  /** ISO 8601 with any offset: events before then. */
  until?: string | undefined;
}

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
