/** What operators see of imports of people, and how they stop one. */
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { ofService } from "../acting/audit-store";
import { recordOfService } from "../operators/freezes-store";
import { importOf, reportOf, stopImport } from "./imports";
import type { ReportQuery } from "./schemas";

/**
 * An import with a page of what became of its lines, and records that the operator has read it. Throws NOT_FOUND.
 */
export async function importForOperator(deps: Deps, operator: SessionPrincipal, id: string, query: ReportQuery) {
  const [found, report] = await Promise.all([importOf(deps, id), reportOf(deps, id, query)]);
  const event = ofService(operator, "operator.import_read");
  await recordOfService(deps, { ...event, target: { kind: "import", id } });
  return { import: found, report };
}

/** Stops an import; what is done stays. Throws NOT_FOUND. */
export async function stopAsOperator(deps: Deps, operator: SessionPrincipal, id: string): Promise<void> {
  const actor = { ...operator.actor, kind: "operator" } as const;
  await stopImport(deps, actor, id, [PLATFORM_TENANT, SERVICE_LOG]);
}
