/** What a declaration, a change and a further version make of an event type. Nothing is written here. */
import { AppError, invalidField } from "../../base/errors";
import type { Meter } from "../work/meter";
import { areEqual } from "./json-schema/canonical";
import type { Schema } from "./json-schema/check";
import { type Breaks, breaksOf } from "./json-schema/compare";
import type { TypeRow, VersionRow } from "./rows";
import { checkExamples, checkedSchema, fits, orTooMuch } from "./schema";
import type { EventTypeChange, NewEventType, NewVersion } from "./schemas";

const MAX_VERSIONS = 100;

/** A type with its newest version. */
export interface Declared {
  type: TypeRow;
  newest: VersionRow;
}

/** Makes a type. `meter` counts what its examples cost. Throws VALIDATION_FAILED. */
export function declare(input: NewEventType, nowMs: number, meter?: Meter): Declared {
  const { schema, examples = [] } = input;
  if (schema !== undefined) checkExamples(checkedSchema(schema, meter), examples, meter);
  else if (input.enforce !== "off") throw needsSchema();
  const version = schema === undefined ? 0 : 1;
  return {
    type: {
      name: input.name,
      description: input.description ?? null,
      heading: input.group ?? null,
      enforce: input.enforce,
      isArchived: 0,
      deprecated: input.deprecated ?? null,
      latestVersion: version,
      warnedCount: 0,
      warnedAt: null,
      createdAt: nowMs,
      updatedAt: nowMs,
      scope: "tenant",
      isShadowed: 0,
    },
    newest: { version, schema, examples: examples.length > 0 ? examples : null, breaks: null, createdAt: nowMs },
  };
}

const needsSchema = () => invalidField("enforce", "Needs a schema: add a version first");

/** Changes the given fields. Returns the names of those that differ now. Throws VALIDATION_FAILED. */
export function change(
  { type, newest }: Declared,
  asked: EventTypeChange,
  nowMs: number,
  meter?: Meter,
): Declared & { fields: string[] } {
  const examples = asked.examples === undefined ? newest.examples : asked.examples;
  const after = changed(type, asked);
  const fields = Object.entries({
    description: [type.description, after.description],
    group: [type.heading, after.heading],
    enforce: [type.enforce, after.enforce],
    archived: [type.isArchived, after.isArchived],
    deprecated: [type.deprecated, after.deprecated],
    examples: [newest.examples, examples],
  }).flatMap(([field, [before, next]]) => (areSame(before, next, field, meter) ? [] : [field]));
  if (after.enforce !== "off" && type.latestVersion === 0) throw needsSchema();
  if (fields.includes("examples") && examples && newest.schema !== undefined) {
    checkExamples(checkedSchema(newest.schema, meter), examples, meter);
  }
  // Later than before, even within a millisecond: copies of types of the platform are compared by it.
  const updatedAt = fields.length > 0 ? Math.max(nowMs, type.updatedAt + 1) : type.updatedAt;
  return { type: { ...after, updatedAt }, newest: { ...newest, examples }, fields };
}

const areSame = (before: unknown, after: unknown, field: string, meter?: Meter): boolean =>
  orTooMuch(field, () => areEqual(before, after, meter));

const breaksPaid = (before: Schema, after: Schema, meter?: Meter): Breaks | null =>
  orTooMuch("schema", () => breaksOf(before, after, meter));

const changed = (type: TypeRow, asked: EventTypeChange): TypeRow => ({
  ...type,
  description: asked.description === undefined ? type.description : asked.description,
  heading: asked.group === undefined ? type.heading : asked.group,
  enforce: asked.enforce ?? type.enforce,
  isArchived: asked.archived === undefined ? type.isArchived : asked.archived ? 1 : 0,
  deprecated: asked.deprecated === undefined ? type.deprecated : asked.deprecated,
});

/**
 * Makes the version after the newest one; null if the schema equals it, key order apart. Without examples, those of the
 * newest version stay that fit. Throws VALIDATION_FAILED, and CONFLICT at the limit.
 */
export function nextVersion(
  newest: VersionRow,
  { schema, examples }: NewVersion,
  nowMs: number,
  meter?: Meter,
): VersionRow | null {
  const compiled = checkedSchema(schema, meter);
  if (examples) checkExamples(compiled, examples, meter);
  if (newest.version > 0 && areSame(newest.schema, schema, "schema", meter)) return null;
  if (newest.version >= MAX_VERSIONS) {
    throw new AppError("CONFLICT", { message: `An event type can have at most ${MAX_VERSIONS} versions.` });
  }
  const kept = examples ?? (newest.examples ?? []).filter((example) => fits(compiled, example, meter));
  return {
    version: newest.version + 1,
    schema,
    examples: kept.length > 0 ? kept : null,
    createdAt: nowMs,
    breaks: newest.version === 0 ? null : breaksPaid(newest.schema as Schema, schema as Schema, meter),
  };
}
