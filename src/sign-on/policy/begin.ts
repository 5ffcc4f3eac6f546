/**
 * Each minute: ends the tokens of tenants that have begun to require sign-on, so that other services refuse them too.
 */
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { PagedMaintenance } from "../../base/maintenance";
import { beginEnforcement } from "./begin-store";

export const beginSignOn: PagedMaintenance = async (deps) => {
  if (hasSignOn(deps.config)) await beginEnforcement(deps, deps.now());
  return null;
};
