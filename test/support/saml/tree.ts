/** Documents as an attacker sees them: elements that can be moved, renamed and copied, whatever becomes of them. */

export interface Tree {
  name: string;
  /** With the declarations of namespaces, as they are written. */
  attributes: [name: string, value: string][];
  children: (Tree | string)[];
}

const TOKEN = /<[^>]+>|[^<]+/g;
const ATTRIBUTE = /([\w:.-]+)="([^"]*)"/g;

/** The root of a document that a provider has written: attributes in double quotes, and no `>` in them. */
export function treeOf(xml: string): Tree {
  const top: Tree = { name: "", attributes: [], children: [] };
  const open = [top];
  for (const [token] of xml.replace(/^<\?.*?\?>/, "").matchAll(TOKEN)) {
    const parent = open.at(-1) ?? top;
    if (token.startsWith("</")) open.pop();
    else if (token.startsWith("<")) {
      const attributes = [...token.matchAll(ATTRIBUTE)].map(([, name = "", value = ""]): [string, string] => [
        name,
        value,
      ]);
      const element: Tree = { name: /^<([\w:.-]+)/.exec(token)?.[1] ?? "", attributes, children: [] };
      parent.children.push(element);
      if (!token.endsWith("/>")) open.push(element);
    } else parent.children.push(token);
  }
  return elementsOf(top)[1] ?? top;
}

export const written = ({ name, attributes, children }: Tree): string =>
  `<${name}${attributes.map(([key, value]) => ` ${key}="${value}"`).join("")}>` +
  `${children.map((child) => (typeof child === "string" ? child : written(child))).join("")}</${name}>`;

export const copyOf = (tree: Tree): Tree => ({
  name: tree.name,
  attributes: tree.attributes.map(([name, value]) => [name, value]),
  children: tree.children.map((child) => (typeof child === "string" ? child : copyOf(child))),
});

/** This one and all in it, each after the one it is in. */
export const elementsOf = (tree: Tree): Tree[] => [
  tree,
  ...tree.children.flatMap((child) => (typeof child === "string" ? [] : elementsOf(child))),
];

/** The first of that name, with or without a prefix. */
export function first(tree: Tree, name: string): Tree {
  const found = elementsOf(tree).find((one) => one.name === name || one.name.endsWith(`:${name}`));
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

export function setAttribute(tree: Tree, name: string, value: string): void {
  tree.attributes = [...tree.attributes.filter(([key]) => key !== name), [name, value]];
}

export const parentOf = (root: Tree, child: Tree): Tree | undefined =>
  elementsOf(root).find((one) => one.children.includes(child));

export function remove(root: Tree, child: Tree): void {
  const parent = parentOf(root, child);
  if (parent) parent.children = parent.children.filter((one) => one !== child);
}
