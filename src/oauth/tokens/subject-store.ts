/** What the tokens of an app say of a person and their sign-in, as it is read from D1. */
import { type SQL, sql } from "drizzle-orm";
import type { ClaimSubject } from "./claims";

export interface SubjectRow extends ClaimSubject {
  userId: string;
  /** JSON. */
  amr: string | null;
  authenticatedAt: number;
  /** The tenant's own provider that has signed the person in; null: none has. */
  connectionId: string | null;
}

/**
 * The person `u` as a member `m` of the tenant `t`, whose sign-in in the session `s` says `methods`,
 * `authenticatedAt` and `connectionId`.
 */
export const subject = (
  methods: SQL,
  authenticatedAt: SQL,
  connectionId = sql`s.connection_id`,
): SQL => sql`u.id AS userId, u.email, u.name,
  u.external_id AS externalId, u.email_verified_at AS emailVerifiedAt,
  coalesce(u.updated_at, u.created_at) AS updatedAt, m.tenant_id AS tenantId, t.name AS tenantName,
  t.external_id AS tenantExternalId, m.role, ${methods} AS amr, ${authenticatedAt} AS authenticatedAt,
  ${connectionId} AS connectionId`;

/** Of the session `s`. */
export const CONFIRMED_AT = sql`max(s.created_at, coalesce(s.confirmed_at, 0))`;

/** The tenant's own provider behind the grant `g`, which outlives its session `s` if it is offline. */
export const PROVIDER_OF_GRANT = sql`coalesce(s.connection_id, g.connection_id)`;
