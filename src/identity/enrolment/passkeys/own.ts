/** Adding, renaming and removing passkeys of the signed-in user. A stolen session alone can add and remove none. */
import type { Deps } from "../../../base/deps";
import { AppError, notFound } from "../../../base/errors";
import { queueMailIfPossible } from "../../../base/mail/queue";
import { newRevert } from "../../../base/mail/revert-store";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import {
  deletePasskeyOfUser,
  insertPasskey,
  listPasskeysOfUser,
  MAX_PASSKEYS,
  renamePasskeyOfUser,
} from "../../passkeys/store";
import { checkNewPasskey, invalidPasskey, type MadePasskey } from "../../passkeys/webauthn/attestation";
import { creationOptions } from "../../passkeys/webauthn/options";
import type { CreationOptions, Passkey } from "../../passkeys/webauthn/schemas";
import { passkeyView } from "../../passkeys/webauthn/view";

/** Returns the options with which a page makes a passkey. Throws CONFLICT for a user who has the most passkeys. */
export async function startPasskey(deps: Deps, caller: SessionPrincipal): Promise<CreationOptions> {
  const present = await listPasskeysOfUser(deps, caller.userId);
  if (present.length >= MAX_PASSKEYS) throw tooMany();
  const { email, name } = caller.account;
  return creationOptions(deps, { userId: caller.userId, email, name }, present);
}

/**
 * Adds the passkey and tells the user by mail. Throws VALIDATION_FAILED when the authenticator's answer is not valid or
 * the state was used or has expired, and CONFLICT at the limit or for a passkey that has been added already.
 */
export async function addPasskey(
  deps: Deps,
  caller: SessionPrincipal,
  { state, response, name }: MadePasskey & { name: string },
): Promise<Passkey> {
  const { userId, actor } = caller;
  const context = { purpose: "register", userId, requestId: actor.requestId } as const;
  const { stateId, credential } = await checkNewPasskey(deps, context, { state, response });
  const row = { ...credential, userId, name, createdAt: deps.now(), lastUsedAt: null };
  const revert = await newRevert(deps.keys, deps.now());
  const outcome = await insertPasskey(deps, caller, { row, stateId, revert });
  if (outcome === "full") throw tooMany();
  if (outcome === "taken") throw new AppError("CONFLICT", { message: "This passkey has been added already." });
  if (outcome === "used") throw invalidPasskey();
  await queueMailIfPossible(deps, { kind: "passkeyAdded", id: revert.mailId, userId, passkeyName: name });
  return passkeyView(row);
}

const tooMany = () => new AppError("CONFLICT", { message: `A user can have at most ${MAX_PASSKEYS} passkeys.` });

/** Renames one of the caller's passkeys. Throws NOT_FOUND. */
export async function renamePasskey(deps: Deps, { userId }: SessionPrincipal, id: string, name: string): Promise<void> {
  if (!(await renamePasskeyOfUser(deps, userId, id, name))) throw notFound("Passkey");
}

/**
 * Removes one of the caller's passkeys and tells them by mail. Sessions opened with it stay. Throws NOT_FOUND,
 * CONFLICT for the last way to sign in.
 */
export async function removePasskey(deps: Deps, caller: SessionPrincipal, id: string): Promise<void> {
  const outcome = await deletePasskeyOfUser(deps, caller, id);
  if (outcome === "unknown") throw notFound("Passkey");
  if (outcome === "last") {
    throw new AppError("CONFLICT", {
      message: "This is your only way to sign in. Set a password or add another passkey or a provider first.",
    });
  }
  await queueMailIfPossible(deps, { kind: "passkeyRemoved", userId: caller.userId, passkeyName: outcome.name });
}
