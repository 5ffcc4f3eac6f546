/** Advises whoever subscribes to event types that nobody has declared, most of which are mistyped. */
import type { Deps } from "../../base/deps";
import { type ErrorDetail, refuseInvalid } from "../../base/errors";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import type { TenantStanding } from "../../base/schemas/principal";
import { PLATFORM_TENANT, type TenantRef } from "../../base/schemas/tenant-ref";
import { readKnown } from "../event-types/known-store";
import { mostSimilar } from "../event-types/similar";

/** The most names for which a similar one is looked for. */
const MAX_ADVISED = 10;

/** A tenant with the rules that its publishing obeys. */
export type Ruled = TenantRef & Partial<Pick<TenantStanding, "rulesRevision" | "platformRevision">>;

/** Patterns and operational events are no declared types. The platform's own events are declared nowhere. */
const isChecked = (type: string): boolean => !type.endsWith("*") && !type.startsWith(OPERATIONAL_PREFIX);

/**
 * Warns of each of the types that is not declared, where any type is. `before` has those that the subscription lists
 * already. Throws VALIDATION_FAILED where undeclared types cannot be published. A tenant without rules pays no trip.
 */
export async function warnOfUnknown(
  deps: Deps,
  tenant: Ruled,
  types: readonly string[],
  before: readonly string[] = [],
): Promise<ErrorDetail[]> {
  const { rulesRevision = null, platformRevision = null } = tenant;
  const names = types.filter((type) => isChecked(type) && !before.includes(type));
  const hasRules = rulesRevision !== null || platformRevision !== null;
  if (!hasRules || names.length === 0 || tenant.tenantId === PLATFORM_TENANT) return [];
  const { declared, similar, mode } = await readKnown(deps, tenant, names);
  const unknown = names.filter((name) => !declared.has(name));
  const warnings = unknown.map((name, index) => ({
    path: `events.${types.indexOf(name)}`,
    message: messageOf(index < MAX_ADVISED ? mostSimilar(name, similar) : undefined),
  }));
  if (mode !== "open") refuseInvalid(warnings);
  return similar.length === 0 ? [] : warnings;
}

const messageOf = (meant: string | undefined): string =>
  `No event type has this name.${meant === undefined ? "" : ` Do you mean ${meant}?`}`;

/** A type that is not declared, with the advice about it. */
export interface Advice {
  type: string;
  message: string;
}

/** The same advice about the types that a subscription lists, where all declared ones are known. */
export const adviceOn = (types: readonly string[], declared: readonly string[]): Advice[] =>
  types
    .filter((type) => isChecked(type) && !declared.includes(type))
    .slice(0, MAX_ADVISED)
    .map((type) => ({ type, message: messageOf(mostSimilar(type, declared)) }));
