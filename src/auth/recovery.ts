/** What a mailbox proves: verification of an address. */
import { sha256Hex } from "../crypto/encoding";
import type { Deps } from "../deps";
import { AppError } from "../errors";
import { verifyEmailByToken } from "./store";

/** Returns the message of the contract. Throws INVALID_TOKEN. */
export async function verifyEmail(deps: Deps, token: string): Promise<string> {
  const outcome = await verifyEmailByToken(deps, await sha256Hex(token), deps.now());
  if (outcome === "invalid") throw new AppError("INVALID_TOKEN", { message: "Invalid or expired verification token." });
  return outcome === "already" ? "Email already verified." : "Email verified successfully.";
}
