/** A domain as answers show it. */
import type { Deps } from "../../base/deps";
import { iso } from "../../base/time";
import { challengeName, challengeValues } from "./challenge";
import type { DomainBody } from "./schemas";
import type { DomainRow } from "./store";

/** The domain with the record that proves it; the one that has proved it, if that is so. */
export async function domainView({ keys }: Deps, tenantId: string, row: DomainRow): Promise<DomainBody> {
  const { domain, state, provedBy, provedValue, checkedAt, provedAt, lastError, needsReview } = row;
  const [newest = ""] = await challengeValues(keys, tenantId, domain);
  return {
    domain,
    state,
    provedBy,
    needsReview: needsReview === 1,
    record: { name: challengeName(domain), type: "TXT", value: provedValue ?? newest },
    checkedAt: iso(checkedAt),
    provedAt: iso(provedAt),
    ...(lastError === null ? {} : { lastError }),
  };
}
