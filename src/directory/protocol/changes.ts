/** Reads the body of a PATCH (RFC 7644 section 3.5.2), as directories write it. */
import type { ResourceKind } from "./attribute";
import { invalidValue, ScimError } from "./error";
import { findAttribute } from "./find-attribute";
import { type AttributePlace, parsePlace } from "./syntax";
import { isObject } from "./values";

const MAX_OPERATIONS = 100;
/** An operation without path stands for one a member. More than a resource can have says nothing new. */
const MAX_CHANGES = 1_000;

export type Verb = "add" | "replace" | "remove";

/** One change of one place. `value` is undefined where none was sent. */
export interface Change {
  verb: Verb;
  place: AttributePlace;
  value: unknown;
}

/** The changes in their order. The names of its members and its verbs may be in any case. */
export function readChanges(kind: ResourceKind, body: unknown): Change[] {
  const operations = memberOf(body, "operations");
  if (!Array.isArray(operations)) throw new ScimError(400, "Operations must be a list.", "invalidSyntax");
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimError(400, `A request takes at most ${MAX_OPERATIONS} operations.`, "tooMany");
  }
  const changes: Change[] = [];
  for (const operation of operations) {
    changes.push(...changesOf(kind, operation));
    if (changes.length > MAX_CHANGES) {
      throw new ScimError(400, `A request changes at most ${MAX_CHANGES} attributes.`, "tooMany");
    }
  }
  return changes;
}

function changesOf(kind: ResourceKind, operation: unknown): Change[] {
  const verb = verbOf(memberOf(operation, "op"));
  const path = memberOf(operation, "path") ?? null;
  const value = memberOf(operation, "value");
  if (path === null) return withoutPath(kind, verb, value);
  if (typeof path !== "string") throw new ScimError(400, "A path must be a text.", "invalidPath");
  if (!isWholeSchema(kind, path)) return [{ verb, place: parsePlace(path), value }];
  return verb === "remove" ? withoutExtension(kind, path) : withoutPath(kind, verb, value, `${path}:`);
}

/** All that the extension has goes; the core schema has what a resource needs. */
function withoutExtension({ extension }: ResourceKind, path: string): Change[] {
  if (extension?.id.toLowerCase() !== path.toLowerCase()) throw withoutTarget();
  return extension.attributes.map(({ name }) => ({
    verb: "remove",
    place: parsePlace(`${extension.id}:${name}`),
    value: undefined,
  }));
}

const withoutTarget = () => new ScimError(400, "A removal needs the path of an attribute.", "noTarget");

function verbOf(sent: unknown): Verb {
  const verb = typeof sent === "string" ? sent.toLowerCase() : "";
  if (verb === "add" || verb === "replace" || verb === "remove") return verb;
  throw new ScimError(400, "op must be add, replace or remove.", "invalidSyntax");
}

/** One change a member of the value. Names may have dots, brackets, or the URN of a schema. */
function withoutPath(kind: ResourceKind, verb: Verb, value: unknown, prefix = ""): Change[] {
  if (verb === "remove") throw withoutTarget();
  if (!isObject(value)) throw invalidValue("Without a path, the value must be an object.");
  const entries = Object.entries(value);
  if (entries.length > MAX_CHANGES) {
    throw new ScimError(400, `A request changes at most ${MAX_CHANGES} attributes.`, "tooMany");
  }
  return entries.flatMap(([name, member]) => {
    // Entra names its own schemas here, and what they are called is no attribute.
    if (prefix === "" && name.toLowerCase() === "schemas") return [];
    if (prefix === "" && isWholeSchema(kind, name) && isObject(member))
      return withoutPath(kind, verb, member, `${name}:`);
    return [{ verb, place: parsePlace(prefix + name), value: member }];
  });
}

const isWholeSchema = (kind: ResourceKind, name: string): boolean => findAttribute(kind, name)?.attribute === null;

/** A member by its name in any case. */
function memberOf(value: unknown, name: string): unknown {
  if (!isObject(value)) throw new ScimError(400, "The request has no object where one must be.", "invalidSyntax");
  if (Object.hasOwn(value, name)) return value[name];
  return Object.entries(value).find(([key]) => key.toLowerCase() === name)?.[1];
}
