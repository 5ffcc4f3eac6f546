/** Who learns that nobody gets in through a connection: its owners, and whoever subscribes to it. */
import type { Deps } from "../../base/deps";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { publishToTenant } from "../../webhooks/plane/tenant-events";
import type { FailingConnection } from "./failing-store";

/** What a refusal has noted of its connection; undefined: nothing. */
export interface NotedFailing {
  begun: FailingConnection | undefined;
  mailed: FailingConnection | undefined;
}

export function tellOfFailing(deps: Deps, connectionId: string, { begun, mailed }: NotedFailing): void {
  if (begun) tellSubscribers(deps, begun.tenantId, "failing", connectionId);
  if (mailed) tellOwners(deps, mailed.tenantId, { what: "connectionFailing", connection: mailed.name });
}

export const tellOfRecovery = (deps: Deps, tenantId: string, connectionId: string): void =>
  tellSubscribers(deps, tenantId, "recovered", connectionId);

function tellSubscribers(deps: Deps, tenantId: string, news: "failing" | "recovered", connectionId: string): void {
  const type = `postern.connection.${news}` as const;
  deps.background("connection told of", publishToTenant(deps, tenantId, type, { connectionId }));
}
