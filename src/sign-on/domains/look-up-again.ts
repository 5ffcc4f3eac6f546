/** Whether a tenant still has one of its proved domains, looked up now. */
import type { Deps } from "../../base/deps";
import { lookUpDomain } from "./domains";
import { listDomains } from "./store";

/** Two requests each, of the 50 that a small plan allows. */
const MOST_LOOKED_UP = 10;

/**
 * `proved`: both resolvers see the record of one, or the product vouches for one. `denied`: there is none. `unknown`: a
 * resolver gave no answer. Nothing is written: losing a domain takes three days.
 */
export async function lookUpAgain(deps: Deps, tenantId: string): Promise<"proved" | "denied" | "unknown"> {
  const proved = (await listDomains(deps, tenantId)).filter(({ state }) => state === "proved");
  if (proved.some(({ provedBy }) => provedBy === "platform")) return "proved";
  const looked = proved.slice(0, MOST_LOOKED_UP).map((row) => lookUpDomain(deps, tenantId, row));
  const findings = await Promise.all(looked);
  if (findings.some(({ kind }) => kind === "found")) return "proved";
  return findings.some(({ kind }) => kind === "unknown") ? "unknown" : "denied";
}
