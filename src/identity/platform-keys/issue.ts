/** Creating, replacing and ending platform keys. A key is returned once and stored as a hash. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { readTenantIds } from "../../tenancy/tenants/store";
import { makeKey, shownPrefix } from "../api-keys/key";
import type { KeyRotation, NewPlatformKey } from "./schemas";
import {
  endPreviousKey,
  insertPlatformKey,
  type PlatformKeyRow,
  revokePlatformKeyOf,
  rotatePlatformKey,
} from "./store";

interface Issued {
  row: PlatformKeyRow;
  key: string;
}

/** Creates a platform key and mails its maker. Throws NOT_FOUND for an unknown tenant, CONFLICT at the cap. */
export async function issuePlatformKey(
  deps: Deps,
  operator: SessionPrincipal,
  { name, scopes, tenants, expiresAt }: NewPlatformKey,
): Promise<Issued> {
  const key = makeKey("psk_");
  const row: PlatformKeyRow = {
    id: newId(),
    name,
    prefix: shownPrefix(key),
    scopes,
    tenants: tenants === undefined ? null : await readTenantIds(deps, tenants),
    createdAt: deps.now(),
    lastUsedAt: null,
    expiresAt: expiresAt ?? null,
    previousExpiresAt: null,
  };
  if (!(await insertPlatformKey(deps, row, await sha256Hex(key), operator.actor))) {
    throw capReached("platformKeys", deps.config.caps);
  }
  await queueMailIfPossible(deps, { kind: "platformKeyCreated", userId: operator.userId, keyName: name });
  return { row, key };
}

/** Replaces a key; the former one works for `overlapSeconds`. Throws NOT_FOUND, CONFLICT while a former one works. */
export async function replacePlatformKey(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { overlapSeconds }: KeyRotation,
): Promise<Issued> {
  const key = makeKey("psk_");
  const nowMs = deps.now();
  const replacement = {
    id,
    hash: await sha256Hex(key),
    prefix: shownPrefix(key),
    previousExpiresAt: nowMs + overlapSeconds * 1000,
  };
  const { row, isRotated } = await rotatePlatformKey(deps, replacement, operator.actor, nowMs);
  if (!row) throw notFound("Platform key");
  if (!isRotated) throw new AppError("CONFLICT", { message: "The former key still works. End it first." });
  return { row, key };
}

/** Ends the former key now, if one still works. Throws NOT_FOUND. */
export async function endPrevious(deps: Deps, operator: SessionPrincipal, id: string): Promise<void> {
  if (!(await endPreviousKey(deps, id, operator.actor, deps.now()))) throw notFound("Platform key");
}

/** Revokes a key at once. Throws NOT_FOUND. */
export async function revokePlatformKey(deps: Deps, operator: SessionPrincipal, id: string): Promise<void> {
  if (!(await revokePlatformKeyOf(deps, id, operator.actor, deps.now()))) throw notFound("Platform key");
}
