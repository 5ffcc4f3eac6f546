/**
 * Marks the calls that make schemas as free of effects, so that the bundler drops those that are for answers alone:
 * with the OpenAPI document left out, nothing in the Worker reads them.
 */
import { type ESTree, parseSync } from "rolldown/utils";

const IMPORTS_SCHEMAS = /^import \* as z from "zod";$/m;
const MARK = "/* @__PURE__ */ ";

/** The text of a TypeScript file with a mark at each call that makes a constant of the module. */
export function withPureSchemas(path: string, text: string): string {
  if (!IMPORTS_SCHEMAS.test(text)) return text;
  const { program } = parseSync(path, text);
  let marked = "";
  let from = 0;
  for (const place of program.body.flatMap(callsIn).sort((one, other) => one - other)) {
    marked += text.slice(from, place) + MARK;
    from = place;
  }
  return marked + text.slice(from);
}

function callsIn(statement: ESTree.Directive | ESTree.Statement): number[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type !== "VariableDeclaration") return [];
  return declared.declarations.flatMap(({ init }) => placesIn(init));
}

/** Where calls begin. A mark is about all of a chain, so that only the arguments need their own. */
function placesIn(value: unknown): number[] {
  if (typeof value !== "object" || value === null) return [];
  const node = value as ESTree.Node | { type?: undefined };
  // It runs later.
  if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") return [];
  if (node.type !== "CallExpression") return Object.values(node).flatMap(placesIn);
  return [node.start, ...placesIn(node.arguments)];
}
