/** What D1 knows of a program that acts for itself, and of the tenant and the APIs that it names: in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import type { TenantName } from "../../tenancy/tenants/tenant-name";
import { isBlocked, isForTenant } from "../apps/rules/store";
import { type ClientRow, parsedClient, selectClient } from "../clients/store";
import { type StoredResource, selectAsked } from "../resources/store";
import { isProven, type Proof, useProof } from "./store";

/** What the token of a program says. */
export interface MachineToken {
  clientId: string;
  /** Of the token alone: nothing is stored of it. */
  grantId: string;
  tenantId: string | null;
  /** Unix ms. */
  issuedAt: number;
}

/** The client, while nothing has ended such a token. */
export const selectStandingMachine = ({ clientId, grantId, tenantId, issuedAt }: MachineToken) =>
  rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE c.id = ${clientId} AND c.enabled = 1
    AND coalesce(c.revoked_at, 0) < ${issuedAt} AND NOT ${isBlocked(clientId, tenantId ?? PLATFORM_TENANT)}
    AND ${tenantId === null ? sql`true` : isForTenant(tenantId)}
    AND NOT EXISTS (SELECT 1 FROM revocations v WHERE v.at >= ${Math.floor(issuedAt / 1000)}
      AND v.key = ${keyOfMachine({ grantId, tenantId })})`);

/** In the list of revoked tokens. */
const keyOfMachine = ({ grantId, tenantId }: Pick<MachineToken, "grantId" | "tenantId">): string =>
  `s:${grantId}:${tenantId ?? ""}`;

/** Ends the token of a program, for the client that has proven itself. */
export const endMachineToken = (proof: Proof, token: MachineToken, nowMs: number): SQL =>
  sql`INSERT OR IGNORE INTO revocations (at, key) SELECT ${Math.ceil(nowMs / 1000)}, ${keyOfMachine(token)}
    FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`;

interface MachineStanding {
  /** Undefined if it has not proven itself. */
  client: ClientRow | undefined;
  /** The tenant; null without one that the client may act in, whether it exists or not. */
  tenantId: string | null;
  resources: readonly StoredResource[];
}

/** The tenant is the one that is named, or that of a tenant's client. */
export async function readMachine(
  { db }: Deps,
  proof: Proof,
  { identifiers, tenant }: { identifiers: readonly string[]; tenant: TenantName | null },
  nowMs: number,
): Promise<MachineStanding> {
  const isNamed =
    tenant === null
      ? sql`t.id = c.tenant_id`
      : tenant.id === null
        ? sql`t.external_id = ${tenant.externalId}`
        : sql`t.id = ${tenant.id}`;
  const { client, proven, tenants, resources } = await atomically(db, {
    client: selectClient(proof.clientId),
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}
      AND NOT ${isBlocked(proof.clientId, PLATFORM_TENANT)}`),
    tenants: rows<{ id: string }>(sql`SELECT t.id FROM oauth_clients c CROSS JOIN tenants t ON ${isNamed}
      WHERE c.id = ${proof.clientId} AND t.id <> ${PLATFORM_TENANT} AND t.suspended_at IS NULL
        AND ${isForTenant(sql`t.id`)}
        AND NOT ${isBlocked(proof.clientId, sql`t.id`)}`),
    resources: selectAsked(proof.clientId, identifiers),
    ...useProof(proof),
  });
  const [row] = client;
  const isKnown = row !== undefined && proven.length === 1;
  return { client: isKnown ? parsedClient(row) : undefined, tenantId: tenants[0]?.id ?? null, resources };
}
