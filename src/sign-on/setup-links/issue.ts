/** Making and ending setup links. Their secrets are returned once and stored as hashes. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, invalidField, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { mailToken } from "../../base/mail/token";
import { SETUP_PATH } from "../../base/paths";
import { makeKey } from "../../identity/api-keys/key";
import { type ConnectionChanger, findConnection } from "../connections/store";
import type { NewSetupLink } from "./schemas";
import { endSetupLink, insertSetupLink, type SetupLinkMaker, type SetupLinkRow } from "./store";

/**
 * Makes a link and mails it if it is for an address. Returns its row and its URL. Throws VALIDATION_FAILED for another
 * tenant's connection, and CONFLICT at the cap.
 */
export async function makeSetupLink(
  deps: Deps,
  changer: ConnectionChanger,
  { connectionId, may, ttlSeconds, email, theme, returnUrl }: NewSetupLink,
): Promise<{ row: SetupLinkRow; url: string }> {
  if (connectionId !== undefined && !(await findConnection(deps, changer.tenantId, connectionId))) {
    throw invalidField("connectionId", "Must be a connection of the tenant");
  }
  const [id, createdAt] = [newId(), deps.now()];
  // A mail derives its token: neither the queue nor D1 has it.
  const token = email === undefined ? makeKey("sl_") : (await mailToken(deps.keys, "setup", id)).token;
  const row: SetupLinkRow = {
    id,
    may,
    connectionId: connectionId ?? null,
    email: email ?? null,
    theme: theme ?? null,
    returnUrl: returnUrl ?? null,
    createdAt,
    expiresAt: createdAt + ttlSeconds * 1000,
    openedAt: null,
  };
  const { caps } = deps.config;
  const making = { hash: await sha256Hex(token), maker: makerOf(changer), most: caps.setupLinks };
  if (!(await insertSetupLink(deps, changer, row, making))) throw capReached("setupLinks", caps);
  if (email !== undefined) await queueMailIfPossible(deps, { kind: "setupLink", id });
  const url = `${deps.config.publicUrl ?? deps.config.tokenIssuer}${SETUP_PATH}/open?token=${token}`;
  return { row, url };
}

function makerOf({ actor }: ConnectionChanger): SetupLinkMaker {
  if (actor.id === null || (actor.kind !== "user" && actor.kind !== "platform-key")) throw new AppError("FORBIDDEN");
  return { kind: actor.kind, id: actor.id };
}

/** Ends a link and its session at once. Throws NOT_FOUND. */
export async function revokeSetupLink(deps: Deps, changer: ConnectionChanger, id: string): Promise<void> {
  if (!(await endSetupLink(deps, changer, id, deps.now()))) throw notFound("Setup link");
}
