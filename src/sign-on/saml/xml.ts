/** The one tree of a document: what is read is what was hashed. */
import type { Scope } from "./scope";

export interface XmlAttribute {
  prefix: string;
  local: string;
  /** Empty for none, as of an attribute without a prefix. */
  namespace: string;
  value: string;
}

export interface XmlElement {
  prefix: string;
  local: string;
  namespace: string;
  /** Without declarations of namespaces, which `scope` has. */
  attributes: readonly XmlAttribute[];
  scope: Scope;
  children: (XmlElement | string)[];
}

/** A document that is refused. The message says why, and quotes nothing of it but short names. */
export class XmlRefused extends Error {
  override readonly name = "XmlRefused";
}

/** The elements directly inside it. */
export const elementsIn = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== "string");

export const isNamed = (element: XmlElement, namespace: string, local: string): boolean =>
  element.local === local && element.namespace === namespace;

/** The elements of that name directly inside it. */
export const childrenNamed = (element: XmlElement, namespace: string, local: string): XmlElement[] =>
  elementsIn(element).filter((child) => isNamed(child, namespace, local));

/** The one element of that name directly inside it; null for none. Throws XmlRefused for two. */
export function onlyChild(element: XmlElement, namespace: string, local: string): XmlElement | null {
  const [first = null, ...others] = childrenNamed(element, namespace, local);
  if (others.length > 0) throw new XmlRefused(`it has two elements ${local}`);
  return first;
}

/** Like `onlyChild`, and throws for none. */
export function requiredChild(element: XmlElement, namespace: string, local: string): XmlElement {
  const child = onlyChild(element, namespace, local);
  if (child === null) throw new XmlRefused(`an element ${local} is missing`);
  return child;
}

/** An attribute that has no namespace; null for none. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find(({ namespace, local }) => namespace === "" && local === name)?.value ?? null;

/** Its text, where it has nothing but that; null for an element with others inside. The parser joins texts. */
export function textOf({ children }: XmlElement): string | null {
  const [text = "", ...others] = children;
  return typeof text === "string" && others.length === 0 ? text : null;
}

/** Like `textOf`, and throws XmlRefused where there is more than text. */
export function requiredText(element: XmlElement): string {
  const text = textOf(element);
  if (text === null) throw new XmlRefused(`${element.local} has more than text`);
  return text;
}

/** Whether this or an element at any depth in it is one that `is` finds. */
export const countIn = (element: XmlElement, is: (one: XmlElement) => boolean): number =>
  elementsIn(element).reduce((count, child) => count + countIn(child, is), is(element) ? 1 : 0);
