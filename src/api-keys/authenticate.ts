/** From an API key to a principal. */
import type { Deps } from "../deps";
import type { Principal } from "../tenants/roles";

/** Null for a key that is unknown, revoked or expired. */
export async function authenticateApiKey(_deps: Deps, _key: string): Promise<Principal | null> {
  return null;
}
