/** How much the event types of a tenant may store. Each counts what its versions store. */
import { type SQL, sql } from "drizzle-orm";
import { isOnTrial } from "../../base/budgets/reserve";
import { jsonList, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { AppError, emailNotVerified } from "../../base/errors";
import type { ActingIn } from "../../base/schemas/actor";
import type { TenantStanding } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";

const KIB = 1024;
const MIB = 1024 * KIB;

/** How many types a tenant may have, and how many bytes of schemas and examples. */
export interface Room {
  types: number;
  bytes: number;
}

export const ROOM: Room = { types: 1000, bytes: 16 * MIB };
/** While none of its owners has a verified address. */
export const TRIAL_ROOM: Room = { types: 20, bytes: 256 * KIB };
/** The newest versions of a type, which keep their schemas and examples. */
export const KEPT_VERSIONS = 20;
/** What a version takes besides its texts. */
const VERSION_BYTES = 64;

/** Who changes event types, with what decides how many there may be. */
export type Declaring = ActingIn & TenantStanding;

const isTrial = (deps: Deps, tenant: Declaring): boolean =>
  tenant.tenantId !== PLATFORM_TENANT && isOnTrial(deps, tenant);

export const roomOf = (deps: Deps, tenant: Declaring): Room => (isTrial(deps, tenant) ? TRIAL_ROOM : ROOM);

/** The error for a tenant without room for more types, or for what their versions store. */
export function noRoom(deps: Deps, tenant: Declaring, lacks: keyof Room): AppError {
  if (isTrial(deps, tenant)) return emailNotVerified();
  const most = {
    types: `${ROOM.types} event types`,
    bytes: `${ROOM.bytes / MIB} MiB of schemas and examples of event types`,
  };
  return new AppError("CONFLICT", { message: `A tenant can have at most ${most[lacks]}.` });
}

/** What the tenant has too much of for one more type. */
export async function lackOf(deps: Deps, tenant: Declaring): Promise<keyof Room> {
  const { tenantId, shard } = tenant;
  const found = await queryFirst<{ count: number }>(deps.shards.db(shard))`SELECT count(*) AS count FROM event_types
    WHERE tenant_id = ${tenantId}`;
  return (found?.count ?? 0) >= roomOf(deps, tenant).types ? "types" : "bytes";
}

/** What a version stores, in bytes. */
export const bytesOf = (...texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : new TextEncoder().encode(text).length), VERSION_BYTES);

/** How many bytes the versions of the type `type` take, as SQL. */
const bytesOfVersions = (type: SQL): SQL =>
  sql`(SELECT coalesce(sum(${VERSION_BYTES} + coalesce(octet_length(v.schema), 0)
      + coalesce(octet_length(v.examples), 0) + coalesce(octet_length(v.breaks), 0)), 0)
    FROM event_type_versions v WHERE v.tenant_id = ${type}.tenant_id AND v.name = ${type}.name)`;

/** How many bytes all types of the tenant take, as SQL. Those from before bytes were counted have 0 until a change. */
export const usedBytes = (tenantId: string): SQL =>
  sql`coalesce((SELECT sum(iif(u.stored_bytes > 0, u.stored_bytes, ${bytesOfVersions(sql`u`)})) FROM event_types u
    WHERE u.tenant_id = ${tenantId}), 0)`;

const isOfTypes = (tenantId: string, names: readonly string[]): SQL =>
  sql`tenant_id = ${tenantId} AND name IN (SELECT value FROM json_each(${jsonList(names)}))`;

/** The statement that counts again what some types store, after a change of their versions. */
export const countBytes = (tenantId: string, names: readonly string[]): SQL =>
  sql`UPDATE event_types SET stored_bytes = ${bytesOfVersions(sql`event_types`)} WHERE ${isOfTypes(tenantId, names)}`;

/** The statement that removes what older versions of some types have no room for: their schemas and examples. */
export const forgetOldSchemas = (tenantId: string, names: readonly string[]): SQL =>
  sql`UPDATE event_type_versions SET schema = NULL, examples = NULL
    WHERE ${isOfTypes(tenantId, names)} AND schema IS NOT NULL AND version <= (SELECT t.latest_version
      FROM event_types t WHERE t.tenant_id = event_type_versions.tenant_id AND t.name = event_type_versions.name)
      - ${KEPT_VERSIONS}`;
