/** `/platform/users`: the people who have accounts. */
import type { Call, CallOptions } from "./call";
import type {
  NewPlatformUser,
  PlatformReason,
  PlatformUser,
  PlatformUserChange,
  PlatformUserDeletion,
  PlatformUserMail,
  PlatformUserWithTenants,
} from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";
import type { PlatformTenantFilter } from "./platform-tenants";

/** Which users are listed, and from where on. */
export interface PlatformUserFilter extends PlatformTenantFilter {
  email?: string | undefined;
}

/**
 * `client.platform.users`, with a platform key. A user is named by id, as `ext:<externalId>` or as `email:<address>`.
 * Changing an operator's account throws FORBIDDEN.
 *
 * @example
 * const user = await client.platform.users.create({ email: "ada@example.com", externalId: "user-7" });
 */
export interface PlatformUserMethods {
  /**
   * Creates an account that is a member of no tenant, or returns the one that has this `externalId`. Throws FORBIDDEN,
   * VALIDATION_FAILED, EMAIL_TAKEN, and CONFLICT if that one differs.
   */
  create(body: NewPlatformUser, options?: CallOptions): Promise<PlatformUser>;
  /** Returns a user with their tenants. Throws FORBIDDEN, NOT_FOUND. */
  get(user: string, options?: CallOptions): Promise<PlatformUserWithTenants>;
  /** Returns users, the least recently updated first. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: PlatformUserFilter, options?: CallOptions): Paged<PlatformUser>;
  /**
   * Changes name, address, `externalId` or verification and returns the user. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, EMAIL_TAKEN, CONFLICT.
   */
  update(user: string, body: PlatformUserChange, options?: CallOptions): Promise<PlatformUser>;
  /**
   * Suspends a person: all sessions end, and logins and API keys are refused. Returns the service's confirmation.
   * Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  suspend(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Ends the suspension. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  resume(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Ends all sessions of a person. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  revokeSessions(user: string, body: PlatformReason, options?: CallOptions): Promise<string>;
  /** Mails a link. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  mail(user: string, body: PlatformUserMail, options?: CallOptions): Promise<string>;
  /**
   * Deletes an account. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND, LAST_OWNER, CONFLICT.
   */
  delete(user: string, body?: PlatformUserDeletion, options?: CallOptions): Promise<string>;
}

export function platformUserMethods(call: Call): PlatformUserMethods {
  const at = (user: string, rest = "") => `/platform/users/${segment(user)}${rest}`;
  return {
    create: (body, options) => call.data("POST /platform/users", { ...options, body }),
    get: (user, options) => call.data(`GET ${at(user)}`, options),
    list: (filter, options) =>
      paged((cursor) => call.answer(`GET /platform/users${query({ ...filter, cursor })}`, options), filter?.cursor),
    update: (user, body, options) => call.data(`PATCH ${at(user)}`, { ...options, body }),
    suspend: (user, body, options) => call.message(`POST ${at(user, "/suspend")}`, { ...options, body }),
    resume: (user, body, options) => call.message(`POST ${at(user, "/resume")}`, { ...options, body }),
    revokeSessions: (user, body, options) => call.message(`POST ${at(user, "/sessions/revoke")}`, { ...options, body }),
    mail: (user, body, options) => call.message(`POST ${at(user, "/mails")}`, { ...options, body }),
    delete: (user, body = {}, options) => call.message(`DELETE ${at(user)}`, { ...options, body }),
  };
}
