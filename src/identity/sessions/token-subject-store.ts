/** What the access tokens of a session say, as it is read from D1. */
import { sql } from "drizzle-orm";
import { SECOND_FACTOR_OF_SESSION_DUE } from "../tokens/due-store";

/** What the tokens of a session say about it. */
export interface TokenSubject {
  tenantId: string;
  /** Null when the user is not a member of the tenant any more. */
  role: string | null;
  /** The product's own ids of the user and the tenant. */
  externalId: string | null;
  tenantExternalId: string | null;
  /** When the user signed in or last confirmed the session, whichever is later; Unix ms. */
  authenticatedAt: number;
  /** JSON array of `AuthMethod`; null before it was stored. */
  amr: string | null;
  /** From when the session opens nothing until its user sets up a second factor (Unix ms); null for never. */
  secondFactorDueAt: number | null;
}

/** Selects a `TokenSubject` from `sessions`, also in a RETURNING clause. */
export const TOKEN_SUBJECT = sql`tenant_id AS tenantId, (SELECT tm.role FROM memberships tm
    WHERE tm.tenant_id = sessions.tenant_id AND tm.user_id = sessions.user_id) AS role,
  (SELECT tu.external_id FROM users tu WHERE tu.id = sessions.user_id) AS externalId,
  (SELECT tt.external_id FROM tenants tt WHERE tt.id = sessions.tenant_id) AS tenantExternalId,
  max(created_at, coalesce(confirmed_at, 0)) AS authenticatedAt, amr,
  ${SECOND_FACTOR_OF_SESSION_DUE} AS secondFactorDueAt`;
