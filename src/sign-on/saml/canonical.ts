/** Exclusive XML Canonicalization 1.0 (W3C, 2002) of an element. */
import { utf8 } from "../../base/crypto/encoding";
import { canonicalText, canonicalValue } from "./characters";
import { Scope } from "./scope";
import { type XmlAttribute, type XmlElement, XmlRefused } from "./xml";

/** A namespace is written at each element that is the first to use it, so a small document may have a long form. */
const MAX_CHARACTERS = 256 * 1024;

export interface Canonical {
  /** The prefixes of `InclusiveNamespaces`; the empty text for `#default`. */
  inclusive: ReadonlySet<string>;
  /** An element that is left out, as by the enveloped-signature transform. */
  without: XmlElement | null;
}

/** The bytes that are hashed. Throws XmlRefused where they would be more than 256 KiB. */
export function canonicalBytes(element: XmlElement, how: Canonical): Uint8Array<ArrayBuffer> {
  const writer = new Writer(how);
  writer.element(element, NOTHING, writer.inclusiveIn(element));
  return utf8(writer.written.join(""));
}

/** Nothing is written yet, which is as if no prefix stood for no namespace. */
const NOTHING = new Scope(new Map([["", ""]]), null);

class Writer {
  readonly written: string[] = [];
  private characters = 0;

  constructor(private readonly how: Canonical) {}

  /** The prefixes of the list that are in force there. */
  inclusiveIn({ scope }: XmlElement): string[] {
    return [...this.how.inclusive].filter((prefix) => scope.get(prefix) !== undefined);
  }

  /** `outer`: what is written of namespaces around it. `inclusive`: what counts as used, whether it is or not. */
  element(element: XmlElement, outer: Scope, inclusive: readonly string[]): void {
    const { prefix, local, attributes, scope, children } = element;
    const name = nameOf(prefix, local);
    const used = new Set([prefix, ...inclusive, ...attributes.map((one) => one.prefix).filter((one) => one !== "")]);
    used.delete("xml");
    const own = new Map<string, string>();
    for (const one of [...used].sort()) {
      const namespace = scope.get(one) ?? "";
      if (outer.get(one) !== namespace) own.set(one, namespace);
    }
    this.write(`<${name}`);
    for (const [one, namespace] of own) this.write(` ${nameOf("xmlns", one)}="${canonicalValue(namespace)}"`);
    for (const one of [...attributes].sort(inOrder)) {
      this.write(` ${nameOf(one.prefix, one.local)}="${canonicalValue(one.value)}"`);
    }
    this.write(">");
    const inner = own.size > 0 ? new Scope(own, outer) : outer;
    for (const child of children) this.child(child, inner, scope);
    this.write(`</${name}>`);
  }

  private child(child: XmlElement | string, outer: Scope, scope: Scope): void {
    if (typeof child === "string") this.write(canonicalText(child));
    else if (child !== this.how.without) {
      // What is in force around it is written already: only its own declarations can differ.
      const own = child.scope === scope ? [] : [...child.scope.own.keys()];
      this.element(
        child,
        outer,
        own.filter((prefix) => this.how.inclusive.has(prefix)),
      );
    }
  }

  private write(text: string): void {
    this.characters += text.length;
    if (this.characters > MAX_CHARACTERS) throw new XmlRefused("its namespaces are repeated too often");
    this.written.push(text);
  }
}

/** Of a prefix and a name; of `xmlns` and no prefix, `xmlns` alone. */
const nameOf = (prefix: string, local: string): string =>
  prefix === "" || local === "" ? prefix + local : `${prefix}:${local}`;

/** By namespace, then by name. Both are ASCII. */
function inOrder(a: XmlAttribute, b: XmlAttribute): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.local < b.local ? -1 : 1;
}
