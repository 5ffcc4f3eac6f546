/** The signed-in user as the API shows them. */
import type * as z from "zod";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { appPermissionsOf } from "../../base/schemas/roles";
import { iso } from "../../base/time";
import { metadataOf } from "../../tenancy/directory/metadata";
import type { profile } from "./schemas";

export const profileView = ({
  tenantId,
  tenantExternalId,
  userId,
  account,
  role,
  permissions,
  secondFactorDueAt,
}: SessionPrincipal): z.infer<typeof profile> => {
  const [ofUser, ofTenant, ofMember] = (JSON.parse(account.publicMetadata) as (string | null)[]).map(metadataOf);
  return {
    id: userId,
    externalId: account.externalId,
    email: account.email,
    name: account.name,
    locale: account.locale,
    emailVerified: account.emailVerifiedAt !== null,
    twoFactorEnabled: account.totpEnabledAt !== null,
    createdAt: iso(account.createdAt),
    publicMetadata: ofUser ?? {},
    tenant: { id: tenantId, externalId: tenantExternalId, name: account.tenantName, publicMetadata: ofTenant ?? {} },
    member: { publicMetadata: ofMember ?? {} },
    role,
    permissions: [...permissions],
    appPermissions: [...appPermissionsOf(role)],
    secondFactorDueAt: iso(secondFactorDueAt),
    alerts: account.alerts === 1,
  };
};
