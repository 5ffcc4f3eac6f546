/** Declaring and changing event types, and trying payloads. */
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, notFound, orNotFound } from "../../base/errors";
import type { ActingIn } from "../../base/schemas/actor";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { Meter } from "../work/meter";
import { deleteType, insertType, insertVersion, updateType } from "./change-store";
import { change, type Declared, declare, nextVersion } from "./declaration";
import { convertedAlone } from "./import/conversion";
import { validate } from "./json-schema/validate";
import { type Declaring, lackOf, noRoom } from "./room-store";
import type { VersionRow } from "./rows";
import { checkedSchema, orTooMuch } from "./schema";
import type { EventTypeChange, NewEventType, NewVersion, Sample, SampleResult } from "./schemas";
import { findType, findVersion } from "./store";

/** Returns the event type with this name that counts in the tenant. Throws NOT_FOUND. */
export async function typeOf(deps: Deps, tenant: TenantRef, name: string): Promise<Declared> {
  return orNotFound(await findType(deps, tenant, name), "Event type");
}

/** Returns the event type to change. Throws NOT_FOUND, and FORBIDDEN for a tenant and a type of the platform. */
async function ownTypeOf(deps: Deps, tenant: TenantRef, name: string): Promise<Declared> {
  const found = await typeOf(deps, tenant, name);
  if (isForeign(tenant, found)) throw new AppError("FORBIDDEN", { message: BY_PLATFORM });
  return found;
}

export const BY_PLATFORM = "This event type is declared by the platform.";

/** Whether the platform has declared the type, and the tenant is another one. */
export const isForeign = ({ tenantId }: TenantRef, { type }: Declared): boolean =>
  type.scope === "platform" && tenantId !== PLATFORM_TENANT;

/**
 * Declares an event type. Throws VALIDATION_FAILED, CONFLICT for a name that is taken and where there is no room, and
 * EMAIL_NOT_VERIFIED where there is none without a verified owner.
 */
export async function createType(deps: Deps, tenant: Declaring, input: NewEventType): Promise<Declared> {
  const meter = new Meter();
  const made = declare({ ...input, schema: asRead(input.schema, meter) }, deps.now(), meter);
  const before = await findType(deps, tenant, input.name);
  if (!before && (await insertType(deps, tenant, made.type, made.newest))) return typeOf(deps, tenant, input.name);
  const found = before ?? (await findType(deps, tenant, input.name));
  if (!found) throw noRoom(deps, tenant, await lackOf(deps, tenant));
  const message = isForeign(tenant, found) ? BY_PLATFORM : "This event type exists already.";
  throw new AppError("CONFLICT", { message });
}

/**
 * Changes the given fields. Throws VALIDATION_FAILED, NOT_FOUND, CONFLICT for a change at the same time, and like
 * `createType` where there is no room.
 */
export async function changeType(
  deps: Deps,
  tenant: Declaring,
  name: string,
  asked: EventTypeChange,
): Promise<Declared> {
  const { fields, ...after } = change(await ownTypeOf(deps, tenant, name), asked, deps.now(), new Meter());
  if (fields.length > 0 && !(await updateType(deps, tenant, after.type, after.newest.examples, fields))) {
    const { type } = await ownTypeOf(deps, tenant, name);
    const isSame = type.latestVersion === after.type.latestVersion;
    throw isSame && fields.includes("examples") ? noRoom(deps, tenant, "bytes") : changedMeanwhile("event type");
  }
  return after;
}

/**
 * Adds a version of the schema, unless it equals the newest one. Of versions that are added at once, each that finds
 * its number taken gets a later one, until there are as many as there may be. Throws like `nextVersion`, and NOT_FOUND.
 */
export async function addVersion(
  deps: Deps,
  tenant: Declaring,
  name: string,
  given: NewVersion,
): Promise<{ row: VersionRow; isNew: boolean }> {
  for (let tried = -1; ; ) {
    const { newest } = await ownTypeOf(deps, tenant, name);
    // It was not for another version that there was no place.
    if (newest.version === tried) throw noRoom(deps, tenant, "bytes");
    tried = newest.version;
    const meter = new Meter();
    const row = nextVersion(newest, { ...given, schema: asRead(given.schema, meter) }, deps.now(), meter);
    if (row === null) return { row: newest, isNew: false };
    if (await insertVersion(deps, tenant, name, row)) return { row, isNew: true };
  }
}

/** A schema of an earlier draft in the keywords of draft 2020-12. Its name for itself, which nothing needs, goes. */
const asRead = (schema: unknown, meter: Meter): unknown =>
  orTooMuch("schema", () => convertedAlone(schema, { meter, isStrict: true, ignore: () => undefined }));

/** Deletes an event type. Throws NOT_FOUND, FORBIDDEN. */
export async function removeType(deps: Deps, tenant: ActingIn, name: string): Promise<void> {
  await ownTypeOf(deps, tenant, name);
  if (!(await deleteType(deps, tenant, name))) throw notFound("Event type");
}

/** Returns a version. Throws NOT_FOUND. */
export async function versionOf(deps: Deps, tenant: TenantRef, name: string, version: number): Promise<VersionRow> {
  const found =
    Number.isSafeInteger(version) && version > 0 ? await findVersion(deps, tenant, name, version) : undefined;
  if (!found) throw notFound("Version");
  return found;
}

/** Says whether a payload fits a version of the schema. Throws NOT_FOUND, and CONFLICT if the type has no schema. */
export async function trySample(deps: Deps, tenant: TenantRef, name: string, sample: Sample): Promise<SampleResult> {
  const { newest } = await typeOf(deps, tenant, name);
  if (newest.version === 0) throw new AppError("CONFLICT", { message: "This event type has no schema." });
  const isNewest = sample.version === undefined || sample.version === newest.version;
  const { version, schema } = isNewest ? newest : await versionOf(deps, tenant, name, sample.version ?? 0);
  const meter = new Meter();
  const errors = validate(checkedSchema(schema, meter), sample.payload, "payload", meter);
  return { valid: errors.length === 0, version, errors };
}
