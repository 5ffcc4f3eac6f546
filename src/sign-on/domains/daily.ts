/**
 * The daily look-up of every domain that DNS has proved. One that both resolvers deny on three days in turn is lost:
 * domains expire, and are bought by others. A resolver without an answer changes nothing, and neither does a day on
 * which all is as before.
 */

import { hasSignOn } from "../../base/config/sign-on-settings";
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { publishToTenant } from "../../webhooks/plane/tenant-events";
import { DAYS_TO_LOSE, nextProvedDomains, noteDenied, noteFoundAgain, type ProvedDomain } from "./daily-store";
import { lookUpDomain } from "./domains";

/** At once: a look-up takes 3 s at most, and a Worker has six connections open at a time. */
const DOMAINS_AT_ONCE = 10;
/** Of one run: two requests each, of the 1,000 that an invocation may make. */
const MAX_DOMAINS = 200;

/** Looks the domains up, by name; the cursor is the last one. */
export const checkDomains: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  if (!hasSignOn(deps.config)) return null;
  let after = cursor;
  for (let checked = 0; checked < MAX_DOMAINS && !isOver(); checked += DOMAINS_AT_ONCE) {
    const page = await nextProvedDomains(deps, after, DOMAINS_AT_ONCE);
    await Promise.all(page.map((proved) => checkProved(deps, proved)));
    if (page.length < DOMAINS_AT_ONCE) return null;
    after = page.at(-1)?.domain ?? after;
  }
  return after;
};

async function checkProved(deps: Deps, proved: ProvedDomain): Promise<void> {
  const { tenantId, deniedDays, lastError } = proved;
  const finding = await lookUpDomain(deps, tenantId, proved);
  if (finding.kind === "found" && (deniedDays > 0 || lastError !== null)) {
    await noteFoundAgain(deps, proved, deps.now());
  }
  if (finding.kind === "missing" && finding.isDenied) await count(deps, proved, finding.lastError);
}

/** Counts a day without the record, and tells the owners of the first and of the last one. */
async function count(deps: Deps, proved: ProvedDomain, lastError: string): Promise<void> {
  const { tenantId, domain } = proved;
  const days = await noteDenied(deps, proved, lastError, deps.now());
  if (days === 1) tellOwners(deps, tenantId, { what: "domainMissing", domain });
  if (days !== DAYS_TO_LOSE) return;
  log("warn", "domain lost", { tenantId });
  tellOwners(deps, tenantId, { what: "domainLost", domain });
  await publishToTenant(deps, tenantId, "postern.domain.lost", { domain });
}
