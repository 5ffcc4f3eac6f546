/** The domains of a tenant: added, proved by a record in DNS, and removed. */
import type { Deps } from "../../base/deps";
import { AppError, emailNotVerified, notFound, orNotFound, unavailable } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { asciiDomain } from "../../tenancy/domains/ascii-domain";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { challengeName, challengeValues } from "./challenge";
import { claimableDomain } from "./claimable";
import { lookUp, nothingFound } from "./look-up";
import type { DomainBody } from "./schemas";
import {
  type DomainChange,
  deleteDomain,
  findDomain,
  insertDomain,
  listDomains,
  noteFound,
  noteMissing,
} from "./store";
import { domainView } from "./view";

/** A tenant, and how the audit log records what is done to its domains. */
export type DomainHolder = Pick<DomainChange, "tenantId" | "eventsOf" | "isInSetup"> & {
  /** The address or the name of who changes them. */
  by: string;
};

/** The tenant's domains, by name. */
export async function domainsOf(deps: Deps, tenantId: string): Promise<DomainBody[]> {
  const found = await listDomains(deps, tenantId);
  return Promise.all(found.map((row) => domainView(deps, tenantId, row)));
}

/** Adds a domain and returns it. Throws VALIDATION_FAILED, EMAIL_NOT_VERIFIED, and CONFLICT for one that is there. */
export async function claimDomain(
  deps: Deps,
  holder: DomainHolder,
  { domain: text, proved: isVouchedFor }: { domain: string; proved: boolean },
): Promise<DomainBody> {
  const change = { ...holder, domain: claimableDomain(text) };
  const most = deps.config.caps.domains;
  const { row, isNew, hasVerifiedOwner, count } = await insertDomain(deps, change, { most, isVouchedFor }, deps.now());
  if (row && isNew) {
    if (holder.isInSetup) tellOwners(deps, holder.tenantId, { what: "domainToReview", domain: row.domain });
    return domainView(deps, holder.tenantId, row);
  }
  if (row) throw new AppError("CONFLICT", { message: "The domain has been added already." });
  if (!hasVerifiedOwner) throw emailNotVerified();
  if (count >= most) throw capReached("domains", deps.config.caps);
  throw new AppError("CONFLICT", { message: "The domain was removed at the same time. Try again." });
}

/**
 * Looks the record up and returns the domain as it is then. One that the product vouches for is not looked up. Throws
 * NOT_FOUND, and SERVICE_UNAVAILABLE if a resolver gives no answer: then nothing changes.
 */
export async function checkDomain(deps: Deps, holder: DomainHolder, text: string): Promise<DomainBody> {
  const { tenantId } = holder;
  const change = { ...holder, domain: knownDomain(text) };
  const row = orNotFound(await findDomain(deps, change), "Domain");
  if (row.state === "proved" && row.provedBy === "platform") return domainView(deps, tenantId, row);
  const finding = await lookUpDomain(deps, tenantId, row);
  if (finding.kind === "unknown") throw unavailable({ message: "DNS gave no answer. Try again later." });
  const noted =
    finding.kind === "found"
      ? await noteFound(deps, change, { value: finding.value, lastError: nothingFound(deps) }, deps.now())
      : await noteMissing(deps, change, finding.lastError, deps.now());
  return domainView(deps, tenantId, orNotFound(noted, "Domain"));
}

/** Looks for the record: what it may say now, or said when it was proved. */
export async function lookUpDomain(
  deps: Pick<Deps, "config" | "keys">,
  tenantId: string,
  { domain, provedValue }: { domain: string; provedValue: string | null },
) {
  const values = await challengeValues(deps.keys, tenantId, domain);
  return lookUp(deps, challengeName(domain), provedValue === null ? values : [provedValue, ...values]);
}

/**
 * Removes a domain. Throws NOT_FOUND, and CONFLICT for the last one of a tenant that requires sign-on, unless
 * `endEnforcement` is set, which ends that in the same write.
 */
export async function removeDomain(
  deps: Deps,
  holder: DomainHolder,
  text: string,
  { endEnforcement }: { endEnforcement: boolean },
): Promise<void> {
  const change = { ...holder, domain: knownDomain(text) };
  const { isRemoved, hasEnded } = await deleteDomain(deps, change, endEnforcement && !holder.isInSetup);
  if (hasEnded)
    tellOwners(deps, holder.tenantId, { what: "signOnRequired", by: holder.by, require: "off", graceDays: 0 });
  if (isRemoved) return;
  if (holder.isInSetup) throw notFound("Domain");
  orNotFound(await findDomain(deps, change), "Domain");
  throw new AppError("CONFLICT", {
    message: "The tenant requires single sign-on, and this is its last domain. With endEnforcement, both end.",
    details: [{ path: "endEnforcement", message: "Must be true" }],
  });
}

/** A domain in a path, as it is stored. Throws NOT_FOUND. */
function knownDomain(text: string): string {
  const domain = asciiDomain(text);
  if (domain === null) throw notFound("Domain");
  return domain;
}
