/** Documents that are made at random, but anew in the same way from the same seed. */
import type { Random } from "../faults/random";

const PREFIXES = ["", "a", "b", "c", "xs"];
const NAMESPACES = ["urn:one", "urn:two", "http://three.example/a?b=1", "urn:four"];
const NAMES = ["x", "y", "Z", "Long-name.1", "_u"];
const TEXTS = [
  "",
  "text",
  "\n  ",
  "&amp;&lt;&gt;",
  'a "quote"',
  "&#13;\r\n\t",
  "ä€😀",
  "&#x1F600;",
  "]] >",
  "'",
  "&#9;&#10;",
];
const MAX_DEPTH = 6;

export interface RandomDocument {
  xml: string;
  /** The ID of the element to canonicalize, and the prefixes of InclusiveNamespaces. */
  id: string;
  inclusive: string[];
}

export function randomDocument({ next: random }: Random): RandomDocument {
  const pick = <Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  let count = 0;
  const element = (inForce: ReadonlyMap<string, string>, depth: number): string => {
    const declared = PREFIXES.filter(() => random() < 0.25);
    const own = new Map(declared.map((prefix) => [prefix, prefix === "" && random() < 0.2 ? "" : pick(NAMESPACES)]));
    const scope = new Map([...inForce, ...own]);
    const usable = [...scope.keys()];
    const name = named(pick(usable), pick(NAMES));
    const written = [...own].map(([prefix, uri]) => `${prefix === "" ? "xmlns" : `xmlns:${prefix}`}="${uri}"`);
    const seen = new Set<string>();
    for (const local of NAMES.filter(() => random() < 0.4)) {
      const prefix = random() < 0.5 ? "" : pick(usable);
      const key = `${prefix === "" ? "" : scope.get(prefix)} ${local}`;
      if (!seen.has(key))
        written.push(`${named(prefix, local)}="${pick(TEXTS).replaceAll("<", "").replaceAll('"', "'")}"`);
      seen.add(key);
    }
    if (random() < 0.1) written.push('xml:lang="en"');
    count += 1;
    written.push(`ID="e${count}"`);
    const tag = `${name} ${written.sort(() => random() - 0.5).join(pick([" ", "\n "]))}`;
    const children = depth >= MAX_DEPTH ? [] : Array.from({ length: Math.floor(random() * 4) }, () => pick([0, 1, 1]));
    if (children.length === 0 && random() < 0.5) return `<${tag}/>`;
    const inside = children.map((isElement) => (isElement ? element(scope, depth + 1) : pick(TEXTS)));
    return `<${tag}>${inside.join("")}</${name}>`;
  };
  const xml = element(new Map([["", ""]]), 1);
  const inclusive = PREFIXES.map((prefix) => (prefix === "" ? "#default" : prefix)).filter(() => random() < 0.2);
  return { xml, id: `e${1 + Math.floor(random() * count)}`, inclusive };
}

const named = (prefix: string, local: string): string => (prefix === "" ? local : `${prefix}:${local}`);
