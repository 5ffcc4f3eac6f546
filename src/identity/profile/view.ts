/** The signed-in user as the API shows them. */
import type * as z from "zod";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { iso } from "../../base/time";
import type { profile } from "./schemas";

export const profileView = ({
  tenantId,
  tenantExternalId,
  userId,
  account,
  role,
  permissions,
  secondFactorDueAt,
}: SessionPrincipal): z.infer<typeof profile> => ({
  id: userId,
  externalId: account.externalId,
  email: account.email,
  name: account.name,
  emailVerified: account.emailVerifiedAt !== null,
  twoFactorEnabled: account.totpEnabledAt !== null,
  createdAt: iso(account.createdAt),
  tenant: { id: tenantId, externalId: tenantExternalId, name: account.tenantName },
  role,
  permissions: [...permissions],
  secondFactorDueAt: iso(secondFactorDueAt),
  alerts: account.alerts === 1,
});
