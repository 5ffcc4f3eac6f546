/** What an import makes of the event types of a tenant. Nothing is written here. */
import { AppError } from "../../../base/errors";
import type { Meter } from "../../work/meter";
import { change, type Declared, declare, nextVersion } from "../declaration";
import type { Deprecation } from "../rows";
import { withFitting } from "./examples";
import type { Item } from "./item";
import type { ImportedType } from "./schemas";

/** A type to write. */
export interface Planned {
  after: Declared;
  /** The fields that differ; null for a type that is new. */
  fields: string[] | null;
  /** Whether its newest version is to be inserted. */
  hasVersion: boolean;
}

/**
 * Plans one type; null if nothing differs. `ignore` is called for examples that do not fit. Throws VALIDATION_FAILED,
 * CONFLICT.
 */
export function plan(
  before: Declared | undefined,
  { type, examples, path }: Item,
  nowMs: number,
  meter: Meter,
  ignore: (path: string, keyword: string) => void,
): Planned | null {
  try {
    const given = withFitting(type, examples, before, meter, (at, keyword) => ignore(`${path}.${at}`, keyword));
    return before ? planChange(before, given, nowMs, meter) : planNew(given, nowMs, meter);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details = [{ path: "name", message }] } = error;
    throw new AppError(code, { details: details.map((one) => ({ ...one, path: `${path}.${one.path}` })) });
  }
}

function planNew(given: ImportedType, nowMs: number, meter: Meter): Planned {
  const { name, schema, description, group, examples, archived = false, enforce = "off" } = given;
  const after = declare(
    {
      name,
      schema,
      enforce,
      description: description ?? undefined,
      group: group ?? undefined,
      examples: examples ?? undefined,
      deprecated: deprecationOf(given, null, nowMs) ?? undefined,
    },
    nowMs,
    meter,
  );
  return {
    after: { ...after, type: { ...after.type, isArchived: archived ? 1 : 0 } },
    fields: null,
    hasVersion: true,
  };
}

function planChange(before: Declared, given: ImportedType, nowMs: number, meter: Meter): Planned | null {
  const { schema, name: _, ...asked } = given;
  const { examples = null } = asked;
  const version =
    schema === undefined
      ? null
      : nextVersion(before.newest, { schema, ...(examples ? { examples } : {}) }, nowMs, meter);
  const current: Declared = version
    ? { type: { ...before.type, latestVersion: version.version, updatedAt: nowMs }, newest: version }
    : before;
  const deprecated = deprecationOf(given, before.type.deprecated, nowMs);
  const { fields, ...after } = change(
    current,
    { ...asked, ...(version ? { examples: undefined } : {}), deprecated },
    nowMs,
    meter,
  );
  if (fields.length === 0 && version === null) return null;
  return { after, fields, hasVersion: version !== null };
}

function deprecationOf(
  { deprecated }: ImportedType,
  before: Deprecation | null,
  nowMs: number,
): Deprecation | null | undefined {
  if (typeof deprecated !== "boolean") return deprecated;
  return deprecated ? (before ?? { since: nowMs }) : null;
}
