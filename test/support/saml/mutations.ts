/** Changes that an attacker could make of a signed response, chosen by a seed. */
import type { Random } from "../faults/random";
import { copyOf, elementsOf, parentOf, remove, setAttribute, type Tree, written } from "./tree";

const SAML = "urn:oasis:names:tc:SAML:2.0:assertion";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";
const NAMESPACES = ["", "urn:evil", SAML, "urn:oasis:names:tc:SAML:2.0:protocol", DSIG] as const;
const WRAPPERS = [
  "Advice",
  "saml2:Advice",
  "saml2:Assertion",
  "ds:Object",
  "saml2p:Extensions",
  "saml2p:Response",
  "x",
] as const;
const TEXTS = [
  "mallory@evil.example",
  "",
  " ",
  "&amp;",
  "&#65;",
  "<!-- -->",
  "<![CDATA[x]]>",
  "<?x?>",
  "&lt;",
  "\r\n",
] as const;
const ATTRIBUTES = [
  "ID",
  "Id",
  "xml:id",
  "xmlns",
  "xmlns:saml2",
  "xmlns:ds",
  "xmlns:xs",
  "URI",
  "Algorithm",
  "Name",
  "x",
] as const;
const CHARACTERS = [
  "<",
  ">",
  "/",
  '"',
  "'",
  "&",
  ";",
  " ",
  "\n",
  "=",
  "#",
  ":",
  "a",
  "A",
  "\0",
  "é",
  "-",
  "!",
  "]",
] as const;

const oneOf = <Value>(random: Random, values: readonly Value[]): Value => {
  const [head, ...rest] = values;
  if (head === undefined) throw new Error("there is nothing to pick from");
  return random.pick([head, ...rest]);
};

/** A document that is made of the first of these, with one to four changes and parts of the others. */
export function mutated(random: Random, documents: readonly Tree[]): string {
  const [root, ...others] = documents.map(copyOf);
  if (root === undefined) throw new Error("there is no document");
  const changes = random.integer(1, 4);
  for (let i = 0; i < changes; i += 1) change(random, root, others);
  const xml = written(root);
  return random.chance(0.2) ? withOtherCharacter(random, xml) : xml;
}

function change(random: Random, root: Tree, others: readonly Tree[]): void {
  const all = elementsOf(root);
  const [one, other] = [oneOf(random, all), oneOf(random, all)];
  const kind = random.pick(["structure", "structure", "name", "attribute", "text", "foreign"]);
  if (kind === "structure") restructure(random, root, one, other);
  else if (kind === "name") one.name = random.chance(0.5) ? other.name : one.name.replace(/^.*:/, "");
  else if (kind === "attribute") changeAttribute(random, one, other);
  else if (kind === "text") changeText(random, one);
  else if (others.length > 0) insert(random, one, copyOf(oneOf(random, elementsOf(oneOf(random, others)))));
}

/** Moves, copies, swaps, wraps and reorders elements. */
function restructure(random: Random, root: Tree, one: Tree, other: Tree): void {
  const isAround = elementsOf(one).includes(other);
  const kind = random.pick(["move", "copy", "remove", "swap", "wrap", "unwrap", "reorder"]);
  if (kind === "move" && !isAround) {
    remove(root, one);
    insert(random, other, one);
  } else if (kind === "copy") insert(random, other, copyOf(one));
  else if (kind === "remove") remove(root, one);
  else if (kind === "swap" && !isAround && !elementsOf(other).includes(one)) {
    const children = one.children;
    one.children = other.children;
    other.children = children;
  } else if (kind === "wrap") {
    const inner = { ...one };
    one.name = oneOf(random, WRAPPERS);
    one.children = [inner];
    if (random.chance(0.5)) one.attributes = [];
  } else if (kind === "unwrap") {
    const parent = parentOf(root, one);
    if (parent) parent.children.splice(parent.children.indexOf(one), 1, ...one.children);
  } else if (kind === "reorder") one.children = random.shuffle(one.children);
}

const insert = (random: Random, into: Tree, one: Tree): void =>
  void into.children.splice(random.integer(0, into.children.length), 0, one);

function changeAttribute(random: Random, one: Tree, other: Tree): void {
  const kind = random.pick(["value", "namespace", "remove", "copy", "twice", "reorder"]);
  const attribute = one.attributes.length > 0 ? oneOf(random, one.attributes) : undefined;
  const foreign = other.attributes.length > 0 ? oneOf(random, other.attributes) : undefined;
  if (kind === "value" && attribute) attribute[1] = foreign?.[1] ?? "x";
  else if (kind === "namespace") setAttribute(one, oneOf(random, ATTRIBUTES), oneOf(random, NAMESPACES));
  else if (kind === "remove") one.attributes = one.attributes.filter((all) => all !== attribute);
  else if (kind === "copy" && foreign) setAttribute(one, foreign[0], foreign[1]);
  else if (kind === "twice" && attribute) one.attributes.push([oneOf(random, ATTRIBUTES), attribute[1]]);
  else one.attributes = random.shuffle(one.attributes);
}

function changeText(random: Random, one: Tree): void {
  const text = oneOf(random, TEXTS);
  if (random.chance(0.5)) one.children = [text];
  else one.children.splice(random.integer(0, one.children.length), 0, text);
}

function withOtherCharacter(random: Random, xml: string): string {
  const at = random.integer(0, xml.length - 1);
  const character = random.chance(0.3) ? "" : oneOf(random, CHARACTERS);
  return xml.slice(0, at) + character + xml.slice(at + random.integer(0, 1));
}
