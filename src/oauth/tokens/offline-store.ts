/** Offline grants in D1: they outlive the session in which they were made. A grant names its tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { anonymous, type RequestOrigin } from "../../base/schemas/actor";
import { LATER_SETTINGS } from "../../base/schemas/client-settings";
import { DAY_MS } from "../../base/time";
import { auditEach } from "../../tenancy/audit/record-store";
import { type ClientRow, parsedClient, selectClient } from "../clients/store";
import { type StoredResource, selectOfGrant } from "../resources/store";
import { endMachineToken, type MachineToken } from "./machine-store";
import type { OfflineClaims } from "./refresh-token";
import {
  isProven,
  type NamedGrant,
  type Proof,
  type StandingGrant,
  selectStandingGrant,
  showsKey,
  useProof,
} from "./store";

interface Rotation {
  claims: OfflineClaims;
  proof: Proof;
  origin: RequestOrigin;
  userAgent: string | null;
}

/** What a refresh has found. */
export interface RotatedGrant {
  /** Undefined if the client has not proven itself. */
  client: ClientRow | undefined;
  /** Whether the token was the current one. */
  isRotated: boolean;
  /** As it is afterwards; undefined while something refuses it, and once it has ended. */
  grant: StandingGrant | undefined;
  /** What D1 has of the APIs at which it gives scopes. */
  resources: readonly StoredResource[];
}

/** Replaces the refresh token of a grant that stands, if the one that was shown is the current one. */
export async function rotateGrant(
  { db, config }: Deps,
  { claims, proof, origin, userAgent }: Rotation,
  nowMs: number,
): Promise<RotatedGrant> {
  const { grantId, clientId, generation } = claims;
  const standing = selectStandingGrant(config, { grantId, clientId }, null, nowMs);
  const { expires, isMoving } = movedExpiry(clientId, nowMs);
  const rotate = (more: SQL, condition: SQL) => sql`UPDATE oauth_grants SET generation = generation + 1,
      issued_at = ${nowMs}, issued_to = ${origin.ip}, device = ${userAgent}${more}
    WHERE id = ${grantId} AND generation = ${generation} AND coalesce(jkt = ${proof.jkt}, jkt IS NULL) AND ${condition}
      AND EXISTS (${standing.query})
      AND EXISTS (SELECT 1 FROM oauth_clients c WHERE ${isProven(proof, nowMs)} AND ${showsKey(proof)}) RETURNING id`;
  const { client, proven, rotated, moved, grant, resources } = await atomically(db, {
    client: selectClient(clientId),
    proven: rows<{ id: string }>(sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`),
    // Once a day, because SQLite writes an index for a column that it sets, whether it changes or not.
    moved: rotate(sql`, expires_at = ${expires}`, isMoving),
    rotated: rotate(sql``, sql`NOT (${isMoving})`),
    grant: standing,
    resources: selectOfGrant(grantId),
    ...useProof(proof),
  });
  const [row] = client;
  const isKnown = row !== undefined && proven.length === 1;
  const isRotated = rotated.length + moved.length === 1;
  return { client: isKnown ? parsedClient(row) : undefined, isRotated, grant: grant[0], resources };
}

/** When the grant ends unless it is used again, and whether that is a day later than what is stored. */
function movedExpiry(clientId: string, nowMs: number): { expires: SQL; isMoving: SQL } {
  const idleDays = sql`(SELECT coalesce(c.settings ->> '$.idleDays', ${LATER_SETTINGS.idleDays}) FROM oauth_clients c
    WHERE c.id = ${clientId})`;
  const expires = sql`min(ends_at, ${nowMs} + ${idleDays} * ${DAY_MS})`;
  return { expires, isMoving: sql`coalesce(${expires} > expires_at + ${DAY_MS}, false)` };
}

/** Ends a grant whose token was used again. Returns whose it was; undefined if it has ended already. */
export async function endReusedGrant(
  { db }: Deps,
  { grantId, clientId }: NamedGrant,
  origin: RequestOrigin,
  nowMs: number,
): Promise<string | undefined> {
  const target = { kind: "app", id: clientId } as const;
  const { ended } = await atomically(db, {
    recorded: auditEach(
      { tenantId: sql`g.tenant_id`, action: "app.refresh_reused", actor: anonymous(origin), target },
      sql`oauth_grants g WHERE g.id = ${grantId} AND g.client_id = ${clientId}`,
      nowMs,
    ),
    ended: rows<{ userId: string }>(sql`DELETE FROM oauth_grants WHERE id = ${grantId} AND client_id = ${clientId}
      RETURNING user_id AS userId`),
  });
  return ended[0]?.userId;
}

/** Ends a grant for its client, or a program's token; null ends none. Returns whether the client has proven itself. */
export async function endGrantByClient(
  { db }: Deps,
  proof: Proof,
  { grantId, machine }: { grantId: string | null; machine: MachineToken | null },
  nowMs: number,
): Promise<boolean> {
  const proven = sql`SELECT c.id FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`;
  const { found } = await atomically(db, {
    found: rows<{ id: string }>(proven),
    ended:
      grantId === null ? undefined : sql`DELETE FROM oauth_grants WHERE id = ${grantId} AND client_id IN (${proven})`,
    machine: machine ? endMachineToken(proof, machine, nowMs) : undefined,
    ...useProof(proof),
  });
  return found.length === 1;
}
