/** `/operator`: what the people who operate the service see. */

import type { Call, CallOptions } from "./call";
import type {
  AuditEvent,
  AuditFilter,
  MoveRequest,
  OperatedPerson,
  OperatedTenant,
  OperatorConfirmation,
  OperatorSearch,
  PersonSuspension,
  ServiceStatus,
  Suspension,
  TenantMove,
} from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";

/**
 * `client.operator`, for people who operate the service. For others every call throws NOT_FOUND, and for an operator
 * without two-factor authentication FORBIDDEN. Calls that change something throw STEP_UP_REQUIRED if the sign-in was
 * more than ten minutes ago and no password or code is given; with a wrong one they throw as `auth.stepUp`. Everything
 * is recorded in the audit log.
 *
 * @example
 * const { tenants } = await client.operator.search("Analytical");
 */
export interface OperatorMethods {
  /**
   * Searches by id, or by the beginning of a tenant's name, an email address or the host of a subscription. Returns at
   * most 20 matches of each kind. Throws VALIDATION_FAILED.
   */
  search(q: string, options?: CallOptions): Promise<OperatorSearch>;
  /** Returns what operators did, newest first. Throws NOT_FOUND, FORBIDDEN, VALIDATION_FAILED. */
  audit(filter?: AuditFilter, options?: CallOptions): Paged<AuditEvent>;
  /** Returns the state of the service. Throws NOT_FOUND, FORBIDDEN. */
  status(options?: CallOptions): Promise<ServiceStatus>;
  /** Returns a tenant. Throws NOT_FOUND. */
  tenant(id: string, options?: CallOptions): Promise<OperatedTenant>;
  /** Returns a person. Throws NOT_FOUND. */
  person(id: string, options?: CallOptions): Promise<OperatedPerson>;
  /**
   * Suspends a tenant: its tokens and API keys are refused, and its deliveries wait. Returns the service's
   * confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED.
   */
  suspendTenant(id: string, suspension: Suspension, options?: CallOptions): Promise<string>;
  /** Ends the suspension of a tenant. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  resumeTenant(id: string, suspension: Suspension, options?: CallOptions): Promise<string>;
  /**
   * Suspends a person: all sessions end, and logins are refused. So are the person's API keys unless `keepApiKeys` is
   * true. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED, and CONFLICT for oneself.
   */
  suspendPerson(id: string, suspension: PersonSuspension, options?: CallOptions): Promise<string>;
  /** Lets a suspended person sign in again. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  resumePerson(id: string, suspension: Suspension, options?: CallOptions): Promise<string>;
  /** Ends all sessions of a person. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  revokeSessions(id: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Mails a person a link that removes their lost second factor; nothing is removed until they confirm it. Returns the
   * service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED, and CONFLICT for a person without a second factor or
   * without a verified address.
   */
  removeTwoFactor(id: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /**
   * Moves a tenant to another delivery database, and returns how far the move is; `tenant` shows how it goes on. Throws
   * NOT_FOUND, VALIDATION_FAILED, STEP_UP_REQUIRED, and CONFLICT while an earlier move has not ended.
   */
  moveTenant(id: string, body: MoveRequest, options?: CallOptions): Promise<TenantMove>;
  /**
   * Freezes the sends of all tenants: deliveries wait, and none is lost. Returns the service's confirmation. Throws
   * STEP_UP_REQUIRED.
   */
  holdSends(credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /** Releases the sends of all tenants. Returns the service's confirmation. Throws STEP_UP_REQUIRED. */
  releaseSends(credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /** Freezes the sends of a tenant. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  holdSendsOf(tenantId: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
  /** Releases the sends of a tenant. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  releaseSendsOf(tenantId: string, credentials?: OperatorConfirmation, options?: CallOptions): Promise<string>;
}

export const operatorMethods = (call: Call): OperatorMethods => ({
  search: (q, options) => call.data(`GET /operator/search${query({ q })}`, options),
  audit: (filter = {}, options) =>
    paged((cursor) => call.answer(`GET /operator/audit${query({ ...filter, cursor })}`, options), filter.cursor),
  status: (options) => call.data("GET /operator/status", options),
  tenant: (id, options) => call.data(`GET /operator/tenants/${segment(id)}`, options),
  person: (id, options) => call.data(`GET /operator/people/${segment(id)}`, options),
  suspendTenant: (id, body, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/suspend`, { ...options, body }),
  resumeTenant: (id, body, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/resume`, { ...options, body }),
  suspendPerson: (id, body, options) =>
    call.message(`POST /operator/people/${segment(id)}/suspend`, { ...options, body }),
  resumePerson: (id, body, options) =>
    call.message(`POST /operator/people/${segment(id)}/resume`, { ...options, body }),
  revokeSessions: (id, body = {}, options) =>
    call.message(`POST /operator/people/${segment(id)}/sessions/revoke`, { ...options, body }),
  removeTwoFactor: (id, body = {}, options) =>
    call.message(`POST /operator/people/${segment(id)}/two-factor/remove`, { ...options, body }),
  moveTenant: (id, body, options) => call.data(`POST /operator/tenants/${segment(id)}/move`, { ...options, body }),
  holdSends: (body = {}, options) => call.message("POST /operator/sends/hold", { ...options, body }),
  releaseSends: (body = {}, options) => call.message("POST /operator/sends/release", { ...options, body }),
  holdSendsOf: (id, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/sends/hold`, { ...options, body }),
  releaseSendsOf: (id, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/sends/release`, { ...options, body }),
});
