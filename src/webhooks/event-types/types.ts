/** Declaring and changing event types, and trying payloads. */
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import type { ActingIn } from "../../platform/schemas/actor";
import { PLATFORM_TENANT, type TenantRef } from "../../platform/schemas/tenant-ref";
import { deleteType, insertType, insertVersion, MAX_TYPES, MAX_VERSIONS, updateType } from "./change-store";
import { canonical } from "./json-schema/canonical";
import type { Schema } from "./json-schema/check";
import { breaksOf } from "./json-schema/compare";
import { validate } from "./json-schema/validate";
import { checkExamples, checkedSchema, fits } from "./schema";
import type { EventTypeChange, NewEventType, NewVersion, Sample, SampleResult } from "./schemas";
import { findType, findVersion, type TypeRow, type VersionRow } from "./store";

/** How often a version is numbered again because another one was added at the same time. */
const MAX_TRIES = 5;

/** A type with its newest version. */
export interface Declared {
  type: TypeRow;
  newest: VersionRow;
}

const refused = (path: string, message: string) => new AppError("VALIDATION_FAILED", { details: [{ path, message }] });
const needsSchema = () => refused("enforce", "Needs a schema: add a version first");

/** Returns the tenant's event type. Throws NOT_FOUND. */
export async function typeOf(deps: Deps, tenant: TenantRef, name: string): Promise<Declared> {
  const found = await findType(deps, tenant, name);
  if (!found) throw notFound("Event type");
  return found;
}

/** Declares an event type. Throws VALIDATION_FAILED, and CONFLICT for a name that is taken and at the limit. */
export async function createType(deps: Deps, tenant: ActingIn, input: NewEventType): Promise<Declared> {
  refuseForPlatform(tenant);
  const { schema, examples = [] } = input;
  if (schema !== undefined) checkExamples(checkedSchema(schema), examples);
  else if (input.enforce !== "off") throw needsSchema();
  const nowMs = deps.now();
  const version = schema === undefined ? 0 : 1;
  const newest = { version, schema, examples: examples.length > 0 ? examples : null, breaks: null, createdAt: nowMs };
  const type: TypeRow = {
    ...{ name: input.name, description: input.description ?? null, heading: input.group ?? null },
    ...{ enforce: input.enforce, isArchived: 0, deprecated: input.deprecated ?? null, latestVersion: version },
    ...{ warnedCount: 0, warnedAt: null, createdAt: nowMs, updatedAt: nowMs },
  };
  if (await insertType(deps, tenant, type, newest)) return { type, newest };
  const message = (await findType(deps, tenant, input.name))
    ? "This event type exists already."
    : `A tenant can have at most ${MAX_TYPES} event types.`;
  throw new AppError("CONFLICT", { message });
}

/** Nobody publishes in the tenant of the platform but the service itself. */
function refuseForPlatform({ tenantId }: TenantRef): void {
  if (tenantId === PLATFORM_TENANT) throw notFound("Tenant");
}

/** Changes the given fields. Throws VALIDATION_FAILED, NOT_FOUND, and CONFLICT for a change at the same time. */
export async function changeType(
  deps: Deps,
  tenant: ActingIn,
  name: string,
  change: EventTypeChange,
): Promise<Declared> {
  const { type, newest } = await typeOf(deps, tenant, name);
  if (change.examples && newest.schema !== undefined) checkExamples(checkedSchema(newest.schema), change.examples);
  const examples = change.examples === undefined ? newest.examples : (change.examples ?? null);
  const after = changed(type, change);
  if (after.enforce !== "off" && type.latestVersion === 0) throw needsSchema();
  const fields = Object.entries({
    description: [type.description, after.description],
    group: [type.heading, after.heading],
    enforce: [type.enforce, after.enforce],
    archived: [type.isArchived, after.isArchived],
    deprecated: [type.deprecated, after.deprecated],
    examples: [newest.examples, examples],
  }).flatMap(([field, [before, next]]) => (canonical(before) === canonical(next) ? [] : [field]));
  if (fields.length === 0) return { type, newest };
  const written = { ...after, updatedAt: deps.now() };
  if (!(await updateType(deps, tenant, written, examples, fields))) throw changedMeanwhile();
  return { type: written, newest: { ...newest, examples } };
}

const changed = (type: TypeRow, change: EventTypeChange): TypeRow => ({
  ...type,
  description: change.description === undefined ? type.description : change.description,
  heading: change.group === undefined ? type.heading : change.group,
  enforce: change.enforce ?? type.enforce,
  isArchived: change.archived === undefined ? type.isArchived : change.archived ? 1 : 0,
  deprecated: change.deprecated === undefined ? type.deprecated : change.deprecated,
});

const changedMeanwhile = () =>
  new AppError("CONFLICT", { message: "The event type was changed at the same time. Try again." });

/**
 * Adds a version of the schema, unless it equals the newest one, key order apart. Without examples, those of the newest
 * version stay that fit. Throws VALIDATION_FAILED, NOT_FOUND, and CONFLICT at the limit.
 */
export async function addVersion(
  deps: Deps,
  tenant: ActingIn,
  name: string,
  { schema, examples }: NewVersion,
): Promise<{ row: VersionRow; isNew: boolean }> {
  const compiled = checkedSchema(schema);
  if (examples) checkExamples(compiled, examples);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { newest } = await typeOf(deps, tenant, name);
    if (newest.version > 0 && canonical(newest.schema) === canonical(schema)) return { row: newest, isNew: false };
    if (newest.version >= MAX_VERSIONS) {
      throw new AppError("CONFLICT", { message: `An event type can have at most ${MAX_VERSIONS} versions.` });
    }
    const kept = examples ?? (newest.examples ?? []).filter((example) => fits(schema, example));
    const row: VersionRow = {
      ...{ version: newest.version + 1, schema, examples: kept.length > 0 ? kept : null, createdAt: deps.now() },
      breaks: newest.version === 0 ? null : breaksOf(newest.schema as Schema, schema as Schema),
    };
    if (await insertVersion(deps, tenant, name, row)) return { row, isNew: true };
  }
  throw changedMeanwhile();
}

/** Deletes an event type. Throws NOT_FOUND. */
export async function removeType(deps: Deps, tenant: ActingIn, name: string): Promise<void> {
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
  const errors = validate(checkedSchema(schema), sample.payload, "payload");
  return { valid: errors.length === 0, version, errors };
}
