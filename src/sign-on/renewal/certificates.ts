/** Daily: owners hear of certificates of their provider 30 days before these end, once of each. */
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { type Renewable, takeEndingCertificates } from "./store";

const TOLD_BEFORE_MS = 30 * DAY_MS;

/** Tells the owners of these connections. Asks D1 only if a certificate ends. */
export async function tellOfCertificates(deps: Deps, page: readonly Renewable[]): Promise<void> {
  const nowMs = deps.now();
  const untilMs = nowMs + TOLD_BEFORE_MS;
  const ending = page.filter(({ certificateEndsAt }) => certificateEndsAt !== null && certificateEndsAt <= untilMs);
  if (ending.length === 0) return;
  const ids = ending.map(({ id }) => id);
  for (const { connectionId, notAfterMs } of await takeEndingCertificates(deps, ids, untilMs)) {
    const connection = ending.find(({ id }) => id === connectionId);
    if (!connection) continue;
    const days = Math.ceil((notAfterMs - nowMs) / DAY_MS);
    tellOwners(deps, connection.tenantId, { what: "certificateEnds", connection: connection.name, days });
  }
}
