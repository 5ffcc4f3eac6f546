/** The prefixes of namespaces in force somewhere in a document (Namespaces in XML 1.0, section 6). */
import { XML } from "./names";

/** No prefix is the empty text, and so is no namespace. Elements nest 16 deep at most, so looking up is quick. */
export class Scope {
  constructor(
    readonly own: ReadonlyMap<string, string>,
    private readonly outer: Scope | null,
  ) {}

  /** The namespace of a prefix; undefined for one that nobody has declared. */
  get(prefix: string): string | undefined {
    return this.own.get(prefix) ?? this.outer?.get(prefix);
  }
}

const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ["", ""],
  ["xml", XML],
]);

/** What is in force around a document. */
export const OUTERMOST = new Scope(BUILT_IN, null);
