/** To whom registration is open, and in which tenant it ends. */
import type { Config } from "../../base/config/config";
import { AppError } from "../../base/errors";
import type { Registration } from "../../base/schemas/settings";

/** Throws FORBIDDEN where registration is not open to the address, unless somebody was invited. */
export function refuseUninvited(
  registration: Registration,
  { email, invitationToken }: { email: string; invitationToken?: string | undefined },
): void {
  if (registration.for === "everybody" || invitationToken !== undefined) return;
  if (registration.for === "invited") throw new AppError("FORBIDDEN", { message: "Registration is by invitation." });
  if (!registration.domains.includes(email.slice(email.lastIndexOf("@") + 1))) {
    throw new AppError("FORBIDDEN", {
      message: `Registration is open to addresses of ${registration.domains.join(", ")} only.`,
    });
  }
}

/** Throws NO_TENANT where nobody gets a tenant of their own, for whoever is not invited and names none to create. */
export function refuseTenantless(
  { personalTenants }: Pick<Config, "personalTenants">,
  { tenantName, invitationToken }: { tenantName?: string | undefined; invitationToken?: string | undefined },
): void {
  if (personalTenants === "on" || tenantName !== undefined || invitationToken !== undefined) return;
  throw new AppError("NO_TENANT", { message: "Registration needs an invitation, or the name of a tenant to create." });
}
