/** What the access tokens of a session say, as it is read from D1. */
import { sql } from "drizzle-orm";
import { SECOND_FACTOR_OF_SESSION_DUE } from "../tokens/due-store";

/** What the tokens of a session say about it. */
export interface TokenSubject {
  tenantId: string;
  /**
   * JSON lists, each with the public metadata of its row as the second entry. The first is the role, or the product's
   * own id. Null when the user is not a member of the tenant any more.
   */
  member: string | null;
  user: string | null;
  tenant: string | null;
  /** When the user signed in or last confirmed the session, whichever is later; Unix ms. */
  authenticatedAt: number;
  /** JSON array of `AuthMethod`; null before it was stored. */
  amr: string | null;
  /** From when the session opens nothing until its user sets up a second factor (Unix ms); null for never. */
  secondFactorDueAt: number | null;
  /** The tenant's own provider whose sign-on has opened the session, and how strong it says that was; else null. */
  connectionId: string | null;
  idpAcr: string | null;
}

/** Selects a `TokenSubject` from `sessions`, also in a RETURNING clause. */
export const TOKEN_SUBJECT = sql`tenant_id AS tenantId, (SELECT json_array(tm.role, tm.public_metadata)
  FROM memberships tm
    WHERE tm.tenant_id = sessions.tenant_id AND tm.user_id = sessions.user_id) AS member,
  (SELECT json_array(tu.external_id, tu.public_metadata) FROM users tu WHERE tu.id = sessions.user_id) AS user,
  (SELECT json_array(tt.external_id, tt.public_metadata) FROM tenants tt WHERE tt.id = sessions.tenant_id) AS tenant,
  max(created_at, coalesce(confirmed_at, 0)) AS authenticatedAt, amr,
  connection_id AS connectionId, idp_acr AS idpAcr,
  ${SECOND_FACTOR_OF_SESSION_DUE} AS secondFactorDueAt`;
