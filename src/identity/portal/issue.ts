/** Making portal links and tokens. Their secrets are returned once and stored as hashes. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { Principal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { makeKey } from "../api-keys/key";
import type { NewPortalLink } from "./schemas";
import {
  insertPortalLink,
  listPortalLinks,
  type Maker,
  type PortalLinkRow,
  revokePortalLinkOf,
  type SeenLinks,
} from "./store";

type PortalRequest = Pick<NewPortalLink, "permissions" | "ttlSeconds"> & Partial<NewPortalLink>;

/**
 * Makes a link or a token for the caller's tenant. Returns its row and its secret. Throws FORBIDDEN for a permission
 * that the caller does not have, CONFLICT at a cap, and NOT_FOUND in the tenant of the platform, which has no
 * customers.
 */
export async function makePortalLink(
  deps: Deps,
  caller: Principal,
  kind: PortalLinkRow["kind"],
  { permissions, ttlSeconds, theme, returnUrl }: PortalRequest,
): Promise<{ row: PortalLinkRow; secret: string }> {
  if (caller.tenantId === PLATFORM_TENANT) throw notFound("Tenant");
  const lacking = permissions.filter((permission) => !caller.permissions.has(permission));
  if (lacking.length > 0)
    throw new AppError("FORBIDDEN", { message: `You do not have ${lacking.join(", ")} yourself.` });
  const secret = makeKey(kind === "link" ? "pl_" : "pt_");
  const createdAt = deps.now();
  const row: PortalLinkRow = {
    id: newId(),
    kind,
    permissions,
    theme: theme ?? null,
    returnUrl: returnUrl ?? null,
    createdAt,
    expiresAt: createdAt + ttlSeconds * 1000,
    openedAt: null,
  };
  const making = { hash: await sha256Hex(secret), maker: makerOf(caller), userId: caller.userId };
  const reached = await insertPortalLink(deps, caller, row, making);
  if (reached !== null) throw capReached(reached, deps.config.caps);
  return { row, secret };
}

/** The links and tokens that the caller sees and that have not ended, newest first. */
export const portalLinksOf = (deps: Deps, caller: Principal): Promise<PortalLinkRow[]> =>
  listPortalLinks(deps, seenBy(caller), deps.now());

/** Ends a link or a token at once. Throws NOT_FOUND for one that the caller does not see or that has ended. */
export async function revokePortalLink(deps: Deps, caller: Principal, id: string): Promise<void> {
  const { actor } = caller;
  if (!(await revokePortalLinkOf(deps, seenBy(caller), { id, actor }, deps.now()))) throw notFound("Portal link");
}

function makerOf({ kind, userId, actor }: Principal): Maker {
  if (kind === "session") return { kind: "user", id: userId };
  if (kind === "portal" || kind === "setup" || actor.id === null) throw new AppError("FORBIDDEN");
  return { kind, id: actor.id };
}

/** Who manages members, and the product's keys, see all of a tenant; others what they have made. */
function seenBy(caller: Principal): SeenLinks {
  const seesAll = caller.permissions.has("member.manage") || caller.kind === "platform-key";
  return { tenantId: caller.tenantId, maker: seesAll ? null : makerOf(caller) };
}
