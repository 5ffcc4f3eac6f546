/** `/operator`: what the people who operate the service see. */
import type { Proof } from "./auth";
import type { Call, CallOptions } from "./call";
import { query, segment } from "./path";
import type { Role, Timestamp } from "./types";

/** Why sends wait: an operator holds them, or the tenant is suspended. */
export type HoldCause = "held" | "suspended";

interface OfTenant {
  tenantId: string;
  tenantName: string;
}

/** A number that is counted up to a bound. */
export interface BoundedCount {
  count: number;
  /** False: there are more. */
  isExact: boolean;
}

/** What a search has found, at most 20 of each kind. */
export interface OperatorSearch {
  tenants: { id: string; name: string; isSuspended: boolean }[];
  people: { id: string; email: string; name: string | null; isSuspended: boolean }[];
  subscriptions: ({ id: string; name: string; host: string; enabled: boolean } & OfTenant)[];
  events: ({ id: string; type: string; createdAt: Timestamp } & OfTenant)[];
  deliveries: ({ id: string; webhookId: string; eventId: string } & OfTenant)[];
  /** The databases that did not answer, so that findings may be missing. */
  unreachable: number[];
}

/** Since when and why somebody or something is suspended. */
export interface SuspendedSince {
  at: Timestamp;
  reason: string | null;
}

/** What proves again who the operator is: the password, a code, or both. */
export type OperatorProof = Pick<Proof, "password" | "totp">;

/** Why somebody or something is suspended or resumed, and the operator's password or code. */
export interface Suspension extends OperatorProof {
  /** Those concerned can read it in their audit log. */
  reason: string;
}

/** A tenant as operators see it. */
export interface OperatedTenant {
  id: string;
  name: string;
  createdAt: Timestamp;
  /** Null: not suspended. */
  suspended: SuspendedSince | null;
  /** Its delivery database: 0 is `DB`, n is `SHARD_n`. */
  shard: number;
  members: number;
  apiKeys: number;
  /** The first ten. */
  owners: { id: string; email: string }[];
  subscriptions: { total: number; active: number; failing: number; paused: number; disabled: number };
  openDeliveries: BoundedCount;
  /** When the oldest open delivery was or is due. */
  oldestDueAt: Timestamp | null;
  /** Of the present hour and the hour before. */
  attempts: { since: Timestamp; succeeded: number; failed: number };
  holds: { cause: HoldCause; since: Timestamp; ofAllTenants: boolean }[];
}

/** A person as operators see them. */
export interface OperatedPerson {
  id: string;
  email: string;
  name: string | null;
  createdAt: Timestamp;
  /** Null: not suspended. */
  suspended: SuspendedSince | null;
  emailVerified: boolean;
  twoFactorEnabled: boolean;
  sessions: number;
  apiKeys: number;
  /** The fifty used last. */
  tenants: { id: string; name: string; role: Role }[];
}

/** The state of the service. */
export interface ServiceStatus {
  shards: {
    shard: number;
    /** As last read by the hourly job; null before its first run. */
    bytes: number | null;
    /** The fraction of the largest size that a database can have. */
    share: number | null;
    openToNewTenants: boolean;
    /** Open deliveries that are due, without backlogs. */
    overdue: BoundedCount;
    oldestDueAt: Timestamp | null;
    /** Subscriptions with a backlog. */
    backlogs: number;
    oldestInBacklogAt: Timestamp | null;
    /** Subscriptions that fail. */
    failing: number;
  }[];
  /** `messages` is null where the platform does not report it. */
  queues: {
    name: "deliveries" | "deliveries-slow" | "mail";
    messages: number | null;
    oldestAt: Timestamp | null;
  }[];
  /** Of the last seven days, by hour, newest first. */
  deadLetters: { queue: string; hour: Timestamp; messages: number }[];
  /** Without a tenant: all tenants of the database. */
  holds: {
    tenantId: string | null;
    tenantName: string | null;
    cause: HoldCause;
    since: Timestamp;
    shard: number;
  }[];
  /** The databases that did not answer. */
  unreachable: number[];
}

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
   * Suspends a person: all sessions end and logins are refused. Returns the service's confirmation. Throws NOT_FOUND,
   * STEP_UP_REQUIRED, and CONFLICT for oneself.
   */
  suspendPerson(id: string, suspension: Suspension, options?: CallOptions): Promise<string>;
  /** Lets a suspended person sign in again. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  resumePerson(id: string, suspension: Suspension, options?: CallOptions): Promise<string>;
  /** Ends all sessions of a person. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  revokeSessions(id: string, proof?: OperatorProof, options?: CallOptions): Promise<string>;
  /**
   * Mails a person a link that removes their lost second factor; nothing is removed until they confirm it. Returns the
   * service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED, and CONFLICT for a person without a second factor or
   * without a verified address.
   */
  removeTwoFactor(id: string, proof?: OperatorProof, options?: CallOptions): Promise<string>;
  /**
   * Holds the sends of all tenants: deliveries wait, and none is lost. Returns the service's confirmation. Throws
   * STEP_UP_REQUIRED.
   */
  holdSends(proof?: OperatorProof, options?: CallOptions): Promise<string>;
  /** Releases the sends of all tenants. Returns the service's confirmation. Throws STEP_UP_REQUIRED. */
  releaseSends(proof?: OperatorProof, options?: CallOptions): Promise<string>;
  /** Holds the sends of a tenant. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  holdSendsOf(tenantId: string, proof?: OperatorProof, options?: CallOptions): Promise<string>;
  /** Releases the sends of a tenant. Returns the service's confirmation. Throws NOT_FOUND, STEP_UP_REQUIRED. */
  releaseSendsOf(tenantId: string, proof?: OperatorProof, options?: CallOptions): Promise<string>;
}

export const operatorMethods = (call: Call): OperatorMethods => ({
  search: (q, options) => call.data(`GET /operator/search${query({ q })}`, options),
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
  holdSends: (body = {}, options) => call.message("POST /operator/sends/hold", { ...options, body }),
  releaseSends: (body = {}, options) => call.message("POST /operator/sends/release", { ...options, body }),
  holdSendsOf: (id, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/sends/hold`, { ...options, body }),
  releaseSendsOf: (id, body = {}, options) =>
    call.message(`POST /operator/tenants/${segment(id)}/sends/release`, { ...options, body }),
});
