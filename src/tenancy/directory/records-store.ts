/** The columns of tenants and users as the product sees them. */
import { type SQL, sql } from "drizzle-orm";
import { type Rows, rows } from "../../base/db/client";
import type { Locale } from "../../base/schemas/locales";

/** Times are Unix ms. */
interface RecordRow {
  id: string;
  externalId: string | null;
  suspendedAt: number | null;
  suspendedReason: string | null;
  createdAt: number;
  updatedAt: number;
  sequence: number;
  /** JSON; null for none. */
  metadata: string | null;
  publicMetadata: string | null;
}

export interface TenantRow extends RecordRow {
  name: string;
}

export interface UserRow extends RecordRow {
  email: string;
  name: string | null;
  locale: Locale | null;
  emailVerified: 0 | 1;
  twoFactorEnabled: 0 | 1;
}

/** When what the record of `r` shows last changed. The indexes by update have this expression. */
export const updatedAt = sql`coalesce(r.updated_at, r.created_at)`;

const SHARED = sql`r.id, r.external_id AS externalId, r.suspended_at AS suspendedAt,
  r.suspended_reason AS suspendedReason, r.created_at AS createdAt, ${updatedAt} AS updatedAt,
  coalesce((SELECT ps.sequence FROM platform_sequences ps WHERE ps.subject_id = r.id), 0) AS sequence,
  r.name, r.metadata,
  r.public_metadata AS publicMetadata`;

/** The tenants `r` of which `condition` (SQL: what follows WHERE) holds. */
export const selectTenants = (condition: SQL): Rows<TenantRow> =>
  rows(sql`SELECT ${SHARED} FROM tenants r WHERE ${condition}`);

/** The users `r` of which `condition` (SQL: what follows WHERE) holds. */
export const selectUsers = (condition: SQL): Rows<UserRow> =>
  rows(sql`SELECT ${SHARED}, r.email, r.locale, r.email_verified_at IS NOT NULL AS emailVerified,
    r.totp_enabled_at IS NOT NULL AS twoFactorEnabled FROM users r WHERE ${condition}`);
