/** What an API key may do at present. */
import { PERMISSIONS, type Permission, permissionsOf } from "../../base/schemas/roles";

/** Those of a key's scopes that its owner has; a key of the tenant has its scopes by itself. */
export function permissionsOfKey(key: {
  owner: "user" | "tenant";
  /** The owner's role in the tenant; null for a key of the tenant. */
  role: string | null;
  scopes: readonly Permission[];
}): ReadonlySet<Permission> {
  const ofOwner = key.owner === "tenant" ? PERMISSIONS : permissionsOf(key.role ?? "");
  return new Set(ofOwner.filter((permission) => key.scopes.includes(permission)));
}
