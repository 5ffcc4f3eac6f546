/**
 * Filters of lists. What is not supported is refused: clients take an empty list for "there is nobody", and make the
 * person a second time.
 */
import { isList, type ResourceKind } from "./attribute";
import { ScimError } from "./error";
import { findAttribute } from "./find-attribute";
import { GROUP, USER } from "./kinds";
import { type AttributePlace, type FilterCondition, parseConditions } from "./syntax";

/** All terms must hold; there are 1 to 5. */
export type ScimFilter = FilterTerm[];

export interface FilterTerm {
  attribute: FilterAttribute;
  /** Of `emails[type eq "work"].value`: `work`, in lower case. */
  emailType?: string;
  operator: FilterOperator;
  /** A truth value of `active`, Unix ms of `meta.lastModified`, null with `pr`. */
  value: string | boolean | number | null;
}

type FilterOperator = "eq" | "ge" | "gt" | "sw" | "co" | "pr";

const EXACT: readonly FilterOperator[] = ["eq"];
const TEXT: readonly FilterOperator[] = ["eq", "sw", "co", "pr"];
const TIME: readonly FilterOperator[] = ["eq", "ge", "gt"];

const ATTRIBUTES = {
  id: EXACT,
  externalId: EXACT,
  userName: TEXT,
  displayName: TEXT,
  "emails.value": TEXT,
  active: EXACT,
  "members.value": EXACT,
  "meta.lastModified": TIME,
} as const;

type FilterAttribute = keyof typeof ATTRIBUTES;

const KINDS = { User: USER, Group: GROUP } as const;

/** Throws ScimError 400 `invalidFilter`. */
export const parseFilter = (text: string, resource: "User" | "Group"): ScimFilter =>
  parseConditions(text).map((condition) => termOf(KINDS[resource], condition));

function termOf(kind: ResourceKind, { place, operator, value }: FilterCondition): FilterTerm {
  const attribute = attributeOf(kind, place);
  const known = ATTRIBUTES[attribute].find((one) => one === operator);
  if (known === undefined) throw notSupported(`${attribute} ${operator}`);
  return {
    attribute,
    ...(place.conditions ? { emailType: emailTypeOf(place.conditions) } : {}),
    operator: known,
    value: known === "pr" ? null : comparedWith(attribute, value),
  };
}

function attributeOf(kind: ResourceKind, place: AttributePlace): FilterAttribute {
  const { attribute, member } = findAttribute(kind, place.name) ?? {};
  if (!attribute) throw notSupported(place.name);
  const part = (place.conditions ? place.member?.toLowerCase() : member?.name) ?? (isList(attribute) ? "value" : null);
  const name = part === null ? attribute.name : `${attribute.name}.${part}`;
  const isSelection = place.conditions !== null;
  if (!isKnown(name) || (isSelection && (name !== "emails.value" || member))) throw notSupported(place.name);
  return name;
}

const isKnown = (name: string): name is FilterAttribute => Object.hasOwn(ATTRIBUTES, name);

/** `type eq "work"`, the only selection of addresses. */
function emailTypeOf([condition, ...others]: readonly FilterCondition[]): string {
  const isType = condition?.place.name.toLowerCase() === "type" && condition.operator === "eq";
  if (!isType || others.length > 0 || typeof condition.value !== "string") throw notSupported("This selection");
  return condition.value.toLowerCase();
}

function comparedWith(attribute: FilterAttribute, value: unknown): string | boolean | number {
  if (attribute === "active") {
    const truth = typeof value === "string" ? value.toLowerCase() : String(value);
    if (truth === "true" || truth === "false") return truth === "true";
  } else if (typeof value === "string") {
    if (attribute !== "meta.lastModified") return value;
    const timeMs = TIMESTAMP.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(timeMs)) return timeMs;
  }
  throw new ScimError(400, `${attribute} cannot be compared with this value.`, "invalidFilter");
}

/** RFC 3339, as XML Schema's dateTime with an offset is written too. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

const notSupported = (what: string) =>
  new ScimError(400, `${what.slice(0, 100)} is not supported in filters.`, "invalidFilter");
