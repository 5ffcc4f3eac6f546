/** What an attribute is (RFC 7643 section 7). Reading, changing and describing resources all follow from it. */

interface Described {
  name: string;
  description: string;
  required?: true;
  mutability?: "readOnly" | "readWrite" | "immutable";
  uniqueness?: "server";
}

/** An attribute with one text or truth value. */
export interface Simple extends Described {
  type: "string" | "boolean" | "reference";
  caseExact?: true;
  referenceTypes?: readonly string[];
  canonicalValues?: readonly string[];
}

/** One with members, or a list of such values. */
export interface Complex extends Described {
  type: "complex";
  members: readonly Simple[];
  multiValued?: true;
  /** The member without which a value says nothing, and is not kept. A text alone stands for it. */
  key?: string;
}

export type Attribute = Simple | Complex;

/** Whether its value is a list. */
export const isList = (attribute: Attribute): boolean => attribute.type === "complex" && attribute.multiValued === true;

export interface ScimSchema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

/** A kind of resource: the schema that it has, and the one that extends it. */
export interface ResourceKind {
  name: "User" | "Group";
  endpoint: string;
  core: ScimSchema;
  extension: ScimSchema | null;
}

/** A simple attribute with a text. */
export const text = (name: string, description: string, more: Partial<Simple> = {}): Simple => ({
  name,
  description,
  type: "string",
  ...more,
});
