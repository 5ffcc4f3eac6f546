/** A lost second factor: the operator has a link mailed to the person, and only its use removes anything. */
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { queueMail } from "../../base/mail/queue";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { askForRemoval } from "./two-factor-store";

/**
 * Mails a person a link that removes their second factor. Throws NOT_FOUND, CONFLICT for a person without a second
 * factor or without a verified address.
 */
export async function mailRemoval(deps: Deps, operator: SessionPrincipal, userId: string): Promise<void> {
  const person = await askForRemoval(deps, operator, userId, deps.now());
  if (!person) throw notFound("Person");
  if (person.totpEnabledAt === null) {
    throw new AppError("CONFLICT", { message: "This person has no second factor." });
  }
  if (person.emailVerifiedAt === null) {
    throw new AppError("CONFLICT", {
      message: "The address of this person is not verified, so nothing is mailed to it.",
    });
  }
  await queueMail(deps, { kind: "twoFactorRemoval", userId });
}
