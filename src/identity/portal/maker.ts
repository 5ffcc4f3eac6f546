/** What the maker of a portal link may still do in its tenant: the link can do no more. */
import { type PlatformScope, permissionsOfScopes } from "../../base/schemas/platform-scopes";
import type { PortalMakerKind } from "../../base/schemas/portal-schemas";
import { type Permission, permissionsOf } from "../../base/schemas/roles";
import { permissionsOfKey } from "../api-keys/permissions";

/** Who made a link, as it is stored. */
export interface LinkMaker {
  makerKind: PortalMakerKind;
  /** Of the maker, or of the owner of the key that made it; null without a membership. */
  role: string | null;
  isSuspended: 0 | 1;
  /** Whether the maker, or the owner of its key, lacks the second factor that the tenant requires. */
  owesFactor: 0 | 1;
  /** Whether the maker has to sign on there first. */
  owesSignOn: boolean;
  /** Of the API key that made it; null for another maker. */
  keyOwner: "user" | "tenant" | null;
  keyScopes: string | null;
  isKeyLive: 0 | 1;
  /** Of the platform key that made it, JSON; null once it does not work in this tenant. */
  platformScopes: string | null;
}

/** Whether the maker of a setup link may still make one: an owner, or the product with the scope. */
export const maySetUp = ({
  makerKind,
  role,
  isSuspended,
  owesFactor,
  owesSignOn,
  platformScopes,
}: LinkMaker): boolean =>
  makerKind === "platform-key"
    ? (JSON.parse(platformScopes ?? "[]") as PlatformScope[]).includes("connections.write")
    : makerKind === "user" && role === "owner" && isSuspended === 0 && owesFactor === 0 && !owesSignOn;

/**
 * The permissions of a maker who is suspended, has left, owes a second factor or a sign-on, or no longer works are
 * none.
 */
export function permissionsOfMaker({ makerKind, role, ...row }: LinkMaker): ReadonlySet<Permission> {
  if (makerKind === "platform-key") {
    return permissionsOfScopes(JSON.parse(row.platformScopes ?? "[]") as PlatformScope[]);
  }
  if (makerKind === "user") {
    const isRefused = row.isSuspended === 1 || row.owesFactor === 1 || row.owesSignOn;
    return new Set(isRefused ? [] : permissionsOf(role ?? ""));
  }
  if (row.isKeyLive === 0 || row.keyOwner === null) return new Set();
  return permissionsOfKey({ owner: row.keyOwner, role, scopes: JSON.parse(row.keyScopes ?? "[]") as Permission[] });
}
