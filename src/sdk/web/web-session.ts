/** What an app knows of who has sent a request. */
import type { Claims } from "../session/jws";

/** Somebody who is signed in. What the provider does not say is null. */
export interface WebSession {
  /** The id of the person at the provider. */
  userId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  /** Your own id of the person. */
  externalId: string | null;
  /** The tenant in which the person is signed in. */
  tenant: { id: string; name: string | null; externalId: string | null } | null;
  role: string | null;
  /** What `permissionsOf` says of the role. */
  permissions: readonly string[];
  signedInAt: Date;
  /** Everything that the ID token says. */
  claims: Readonly<Claims>;
}

/** A session, and the `Set-Cookie` headers that the answer must have. */
export interface FoundSession {
  session: WebSession | null;
  headers: Headers;
}

/** What somebody needs to be let through. */
export interface Needs {
  role?: string | readonly string[];
  permission?: string;
}

export interface WebSessions {
  /** Answers `sign-in`, `callback`, `sign-out` and `back-channel-logout` below `/auth`; null for every other path. */
  handle(request: Request): Promise<Response | null>;
  /** Who has sent the request. Throws Error when the provider cannot be asked. */
  session(request: Request): Promise<FoundSession>;
  /**
   * Who has sent the request, if they may go on; else the answer to send: to the sign-in for a page, 401 for anything
   * else, 403 without the role or the permission.
   */
  require(request: Request, needs?: Needs): Promise<{ session: WebSession; headers: Headers } | Response>;
}
