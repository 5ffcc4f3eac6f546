/** The tenants and the users that a platform key names, and what it may do to them. */
import type { Deps } from "../../base/deps";
import { AppError, notFound, orNotFound } from "../../base/errors";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import { findNamedTenant, findNamedUser, type NamedTenant, type NamedUser, type UserName } from "./subjects-store";

/** A key without a list of tenants sees all. */
const sees = ({ tenants }: PlatformKeyPrincipal, tenantId: string): boolean =>
  tenants === null || tenants.includes(tenantId);

/** The tenant with this name. Throws NOT_FOUND, also for one that the key does not see. */
export async function requireTenant(deps: Deps, key: PlatformKeyPrincipal, name: string): Promise<NamedTenant> {
  const tenant = await findNamedTenant(deps, parseTenantName(name));
  if (!tenant || !sees(key, tenant.tenantId)) throw notFound("Tenant");
  return tenant;
}

/** Reads an id, `ext:` and the product's own id, or `email:` and an address. */
function userName(text: string): UserName {
  const [, kind, value = ""] = /^(ext|email):(.*)$/s.exec(text) ?? [];
  if (kind === "ext") return { id: null, externalId: value, email: null };
  if (kind === "email") return { id: null, externalId: null, email: value.normalize("NFKC").trim().toLowerCase() };
  return { id: text, externalId: null, email: null };
}

/** The user with this name. Throws NOT_FOUND. */
export async function requireUser(deps: Deps, name: string): Promise<NamedUser> {
  return orNotFound(await findNamedUser(deps, userName(name)), "User");
}

/** The user with this name, who is no operator: otherwise a key could make itself one. Throws NOT_FOUND, FORBIDDEN. */
export async function requireCustomer(deps: Deps, name: string): Promise<NamedUser> {
  const user = await requireUser(deps, name);
  refuseOperators(deps, user.email);
  return user;
}

/** Throws FORBIDDEN for an operator's address. */
export function refuseOperators({ config }: Deps, email: string): void {
  if (!config.operators.includes(email)) return;
  throw new AppError("FORBIDDEN", { message: "This address belongs to an operator of this service." });
}
