/** Tenants and users as the API shows them to the product. */
import { iso } from "../../base/time";
import { metadataOf } from "./metadata";
import type { TenantRow, UserRow } from "./records-store";
import type { TenantRecord, UserRecord } from "./schemas";

const shared = ({
  id,
  externalId,
  suspendedAt,
  suspendedReason,
  createdAt,
  updatedAt,
  sequence,
  metadata,
  publicMetadata,
}: TenantRow | UserRow) => ({
  id,
  externalId,
  suspended: suspendedAt === null ? null : { at: iso(suspendedAt), reason: suspendedReason },
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
  sequence,
  metadata: metadataOf(metadata),
  publicMetadata: metadataOf(publicMetadata),
});

export const tenantView = (row: TenantRow): TenantRecord => ({ ...shared(row), name: row.name });

export const userView = (row: UserRow): UserRecord => ({
  ...shared(row),
  email: row.email,
  name: row.name,
  ...(row.locale === null ? {} : { locale: row.locale }),
  emailVerified: row.emailVerified === 1,
  twoFactorEnabled: row.twoFactorEnabled === 1,
});
