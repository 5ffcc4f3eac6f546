/** Who makes a change and with which request, as the audit log records it. */

import type { ActorKind } from "./audit-actions";
import type { TenantRef } from "./tenant-ref";

/** The request that asks for a change. */
export interface RequestOrigin {
  /** An IPv4 address or a /64 network; null when it is unknown. */
  ip: string | null;
  /** At most 256 characters. */
  userAgent: string | null;
  requestId: string | null;
}

/**
 * Who makes a change: a person, a program with a key or for itself, a tenant's identity provider, this service, or
 * somebody who is not signed in.
 */
export interface Actor extends RequestOrigin {
  kind: ActorKind;
  /** Of the user, the API key or the connection. */
  id: string | null;
  /** The address of the user, or the name of the API key or the connection. */
  name: string | null;
  sessionId: string | null;
  /** The app that a person acts with; missing without one. */
  app?: string;
}

/** A tenant, and who changes something in it. */
export interface ActingIn extends TenantRef {
  actor: Actor;
}

const UNKNOWN_ORIGIN: RequestOrigin = { ip: null, userAgent: null, requestId: null };

/** This service, acting by itself. */
export const SYSTEM: Actor = { kind: "system", id: null, name: null, sessionId: null, ...UNKNOWN_ORIGIN };

/** Somebody who is not signed in. */
export const anonymous = (origin: RequestOrigin): Actor => ({
  kind: "anonymous",
  id: null,
  name: null,
  sessionId: null,
  ...origin,
});

/** A user, with the session if there is one. */
export const userActor = (
  { userId, email, sessionId = null }: { userId: string; email: string; sessionId?: string | null },
  origin: RequestOrigin,
): Actor => ({ kind: "user", id: userId, name: email, sessionId, ...origin });

/** A tenant's identity provider, when a person signs on. */
export const connectionActor = (id: string, name: string | null, origin: RequestOrigin): Actor => ({
  kind: "connection",
  id,
  name,
  sessionId: null,
  ...origin,
});
