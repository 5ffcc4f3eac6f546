/** Attacks on a signed response, part by part. */
import { refusalOf } from "./reason";
import { copyOf, first, remove, setAttribute, type Tree, treeOf, written } from "./tree";

/** Whom the attacker wants to be. */
export const EVIL = "mallory@evil.example";

/** A response of which an attacker has every part in their hands. */
export interface Parts {
  response: Tree;
  assertion: Tree;
  signature: Tree;
  /** A copy of the assertion, which is not signed, with an ID and a subject of the attacker's. */
  evil: Tree;
}

export function partsOf(xml: string): Parts {
  const response = treeOf(xml);
  const [assertion, signature] = [first(response, "Assertion"), first(response, "Signature")];
  const evil = copyOf(assertion);
  remove(evil, first(evil, "Signature"));
  setAttribute(evil, "ID", "_evil");
  first(evil, "NameID").children = [EVIL];
  return { response, assertion, signature, evil };
}

/** Why the response is refused after an attack, which returns another root if there is one; null where it is taken. */
export async function attacked(xml: string, attack: (parts: Parts) => Tree | undefined): Promise<string | null> {
  const all = partsOf(xml);
  return refusalOf(written(attack(all) ?? all.response));
}

export const element = (name: string, ...children: Tree[]): Tree => ({ name, attributes: [], children });
/** The tree, which has the other no longer. */
export const without = (tree: Tree, child: Tree): Tree => {
  remove(tree, child);
  return tree;
};
