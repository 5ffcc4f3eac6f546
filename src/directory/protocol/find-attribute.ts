/** Finds an attribute by what a request calls it: in any case, and with or without the URN of its schema. */
import type { Attribute, ResourceKind, ScimSchema, Simple } from "./attribute";
import { COMMON } from "./kinds";

/** What a name stands for. */
export interface Found {
  schema: ScimSchema;
  /** Null: the whole schema, as where the URN of an extension is the name. */
  attribute: Attribute | null;
  /** The member that the name has after a dot; null without one. */
  member: Simple | null;
}

/** Null for what is not kept. Such a name may be of any other schema. */
export function findAttribute(kind: ResourceKind, name: string): Found | null {
  const sent = name.toLowerCase();
  for (const schema of [kind.core, kind.extension]) {
    if (schema === null) continue;
    const urn = schema.id.toLowerCase();
    if (sent === urn) return { schema, attribute: null, member: null };
    if (sent.startsWith(`${urn}:`)) return findIn(schema, sent.slice(urn.length + 1));
  }
  return sent.startsWith("urn:") ? null : findIn(kind.core, sent);
}

function findIn(schema: ScimSchema, sent: string): Found | null {
  const dot = sent.indexOf(".");
  const attribute = namesOf(schema).get(dot < 0 ? sent : sent.slice(0, dot));
  if (!attribute) return null;
  if (dot < 0) return { schema, attribute, member: null };
  const member = memberOf(attribute, sent.slice(dot + 1));
  return member ? { schema, attribute, member } : null;
}

/** The member of a complex attribute with this name, in any case. */
export const memberOf = (attribute: Attribute, name: string): Simple | undefined =>
  attribute.type === "complex" ? byName(attribute.members).get(name.toLowerCase()) : undefined;

const listsByName = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>();

/** The attributes of a list by their names in lower case. */
function byName<A extends Attribute>(attributes: readonly A[]): ReadonlyMap<string, A> {
  const known = listsByName.get(attributes) ?? new Map(attributes.map((one) => [one.name.toLowerCase(), one]));
  listsByName.set(attributes, known);
  return known as ReadonlyMap<string, A>;
}

const schemasByName = new WeakMap<ScimSchema, ReadonlyMap<string, Attribute>>();

/** The attributes of a schema; those of all resources are found in the core schemas. */
function namesOf(schema: ScimSchema): ReadonlyMap<string, Attribute> {
  const isCore = schema.id.includes(":core:");
  const known = schemasByName.get(schema) ?? byName(isCore ? [...schema.attributes, ...COMMON] : schema.attributes);
  schemasByName.set(schema, known);
  return known;
}
