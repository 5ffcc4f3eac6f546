/** An element with its namespaces resolved (Namespaces in XML 1.0). */
import { XML, XMLNS } from "./names";
import { Scope } from "./scope";
import { type XmlAttribute, type XmlElement, XmlRefused } from "./xml";

export interface RawAttribute {
  prefix: string;
  local: string;
  value: string;
}

export interface RawElement {
  prefix: string;
  local: string;
  attributes: readonly RawAttribute[];
}

/** ASCII without blanks, so that no two look alike and their order is that of their characters. */
const NAMESPACE = /^[\x21-\x7e]{0,255}$/;

/** `ids`: those of the document so far, to which it adds its own. Throws XmlRefused. */
export function elementOf({ prefix, local, attributes }: RawElement, outer: Scope, ids: Set<string>): XmlElement {
  const isDeclaration = (one: RawAttribute) => one.prefix === "xmlns" || (one.prefix === "" && one.local === "xmlns");
  const own = declared(attributes.filter(isDeclaration));
  const scope = own.size > 0 ? new Scope(own, outer) : outer;
  const namespace = namespaceOf(prefix, scope);
  const resolved = attributes.filter((one) => !isDeclaration(one)).map((one) => ({ ...one, namespace: "" }));
  for (const one of resolved) if (one.prefix !== "") one.namespace = namespaceOf(one.prefix, scope);
  refuseTwice(resolved);
  for (const one of resolved) if (one.local.toLowerCase() === "id") addId(one.value, ids);
  return { prefix, local, namespace, attributes: resolved, scope, children: [] };
}

function declared(declarations: readonly RawAttribute[]): Map<string, string> {
  const own = new Map<string, string>();
  for (const { prefix, local, value } of declarations) {
    const name = prefix === "" ? "" : local;
    if (own.has(name)) throw new XmlRefused("an attribute is there twice");
    if (!NAMESPACE.test(value)) throw new XmlRefused("a namespace is no address, or longer than 255 characters");
    const isReserved = name === "xml" || name === "xmlns" || value === XML || value === XMLNS;
    if (isReserved || (name !== "" && value === "")) throw new XmlRefused("a prefix is declared that cannot be");
    own.set(name, value);
  }
  return own;
}

function namespaceOf(prefix: string, scope: Scope): string {
  const namespace = prefix === "xmlns" ? undefined : scope.get(prefix);
  if (namespace === undefined) throw new XmlRefused(`the prefix ${prefix.slice(0, 40)} is not declared`);
  return namespace;
}

function refuseTwice(attributes: readonly XmlAttribute[]): void {
  const names = new Set(attributes.map(({ namespace, local }) => `${namespace} ${local}`));
  if (names.size < attributes.length) throw new XmlRefused("an attribute is there twice");
}

/** Whatever the namespace: what some verifier takes for an ID may stand in a document once. */
function addId(id: string, ids: Set<string>): void {
  if (ids.has(id)) throw new XmlRefused("two elements have the same ID");
  ids.add(id);
}
