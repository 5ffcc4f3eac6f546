/** To whom registration is open. */
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
