/**
 * Asking for a change of the address of an account. A link that goes to the new address changes it, in a session of the
 * account. Links that go to the former one, now and again when it is done, undo it for 72 hours.
 */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, invalid } from "../../base/errors";
import { queueMail, queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import { mailToken } from "../../base/mail/token";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { DAY_MS } from "../../base/time";
import { refuseUninvited } from "../accounts/registration";
import { insertEmailChange } from "./email-change-store";

const LIFETIME_MS = DAY_MS;

/** Operators are known by their address, so an account neither leaves such an address nor gets one. */
export const operatorsAddress = () =>
  new AppError("FORBIDDEN", {
    message: "Operators of the service are known by their address. Change it in OPERATORS first.",
  });

/**
 * Throws FORBIDDEN for an operator, or where registration is not open to the new address, and VALIDATION_FAILED for the
 * present one.
 */
export function refuseAddress({ config }: Deps, { account }: SessionPrincipal, email: string): void {
  if (config.operators.includes(account.email)) throw operatorsAddress();
  if (email === account.email) throw invalid({ issues: [{ path: ["email"], message: "Is your address already" }] });
  if (config.registration.for === "domains") refuseUninvited(config.registration, { email });
}

/**
 * Mails a link to the new address and a warning to the present one. An older link ends. Does the same if the address is
 * not free, which only its owner learns.
 */
export async function changeEmail(deps: Deps, caller: SessionPrincipal, email: string): Promise<void> {
  const { keys } = deps;
  const { userId } = caller;
  const nowMs = deps.now();
  const mailId = newId();
  const { hash } = await mailToken(keys, "change-email", mailId);
  const revert = await newRevert(keys, nowMs);
  await insertEmailChange(deps, caller, { email, hash, expiresAt: nowMs + LIFETIME_MS, revert }, nowMs);
  await queueMail(deps, { kind: "emailConfirmation", id: mailId, userId });
  await queueMailIfPossible(deps, { kind: "emailChanged", id: revert.mailId, userId, isDone: false });
}
