/** Roles by rules over the groups of a directory. What a rule asks of claims is known at a sign-on only. */
import type { Actor } from "../../base/schemas/actor";
import type { RoleRule, RoleSettings } from "../../base/schemas/connection-settings";
import type { Role } from "../../base/schemas/roles";

/** A directory whose rules give roles. */
export interface RulingDirectory {
  connectionId: string;
  tenantId: string;
  roles: RoleSettings;
  actor: Actor;
}

/** A group of a person, as records show it. */
interface NamedGroup {
  value: string;
  display: string;
}

/** What the rules say of somebody whose groups alone are known. `unchanged`: a rule about claims comes first. */
export type RoleByGroups = Role | null | "unchanged";

/**
 * The role with which somebody joins: that of the first rule that names one of the groups, by its id or its name. What
 * rules ask of claims waits for a sign-on. Null: there is no way in.
 */
export function roleOnJoining(roles: RoleSettings, groups: readonly NamedGroup[]): Role | null {
  const fits = ({ group }: RoleRule) => groups.some(({ value, display }) => group === value || group === display);
  return decidedByGroups(roles).rules.find(fits)?.role ?? roles.default;
}

/** Whether a rule names the group. */
export const isRuled = ({ rules }: RoleSettings, id: string, names: readonly string[]): boolean =>
  rules.some(({ group }) => group !== undefined && (group === id || names.includes(group)));

/** The rules that groups alone decide, which are those before the first about a claim, and what follows them. */
export function decidedByGroups({ rules, default: byDefault }: RoleSettings): {
  rules: readonly RoleRule[];
  otherwise: RoleByGroups;
} {
  const end = rules.findIndex(({ claim }) => claim !== undefined);
  return end < 0 ? { rules, otherwise: byDefault } : { rules: rules.slice(0, end), otherwise: "unchanged" };
}
