/** `/auth/sessions`: where the user is signed in. */

import type { Call, CallOptions } from "./call";
import type { AuditEvent, Session } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.sessions`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * for (const session of await client.sessions.list()) {
 *   if (!session.current) await client.sessions.revoke(session.id);
 * }
 */
export interface SessionMethods {
  /** Returns the user's sessions, oldest first. Throws UNAUTHENTICATED. */
  list(options?: CallOptions): Listed<Session>;
  /** Ends one session of the user. Returns the service's confirmation. Throws NOT_FOUND. */
  revoke(id: string, options?: CallOptions): Promise<string>;
  /**
   * Returns the last 100 events of the user's own account, newest first: what the user did, and failed logins. Throws
   * UNAUTHENTICATED.
   */
  activity(options?: CallOptions): Listed<AuditEvent>;
}

export const sessionMethods = (call: Call): SessionMethods => ({
  list: (options) => listed(call.data("GET /auth/sessions", options)),
  activity: (options) => listed(call.data("GET /auth/me/activity", options)),
  revoke: (id, options) => call.message(`DELETE /auth/sessions/${segment(id)}`, options),
});
