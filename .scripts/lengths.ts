/** Finds where a function, a line or a file is too long to read. The groups of tests are lists, and may be longer. */
import { relative } from "node:path";
import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { isCallExpression, isFunctionDeclaration } from "typescript/unstable/ast/is";
import { place } from "./sources.ts";

const MAX_FUNCTION_LINES = 60;
const MAX_LINE_CHARACTERS = 120;
const MAX_FILE_LINES = 300;

const GENERATED = /(\.json|\/src\/sdk\/client\/generated(-\w+)?\.ts)$/;
/** A table of data is read by its rows, so its file may be long. So is the catalogue of texts in a language. */
const TABLES = /\/src\/base\/(tables|texts)\//;
const FUNCTIONS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
]);
/** The formatter keeps the name of a test in one line, and rows of a table are read below each other. */
const UNBROKEN = /^\s*test\b.*[({]$|^ {24}|( {2,}\S+){8}/;
const GROUP = /^describe\b/;
const TEST = /^test\b/;

/** Names what is too long in a file that people have written. */
export function tooLong(file: SourceFile): string[] {
  if (GENERATED.test(file.fileName)) return [];
  const lines = file.text.trimEnd().split("\n");
  const path = relative(process.cwd(), file.fileName);
  return [
    ...(lines.length > MAX_FILE_LINES && !TABLES.test(file.fileName) ? [`${path}: ${lines.length} lines`] : []),
    ...lines.flatMap((line, i) =>
      line.length > MAX_LINE_CHARACTERS && !UNBROKEN.test(line) ? [`${path}:${i + 1}: ${line.length} characters`] : [],
    ),
    ...longFunctions(file),
  ];
}

function longFunctions(file: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    const lines = file.text.slice(node.getStart(), node.end).split("\n").length;
    if (lines <= MAX_FUNCTION_LINES) return;
    if (FUNCTIONS.has(node.kind) && !isGroup(node)) found.push(`${place(file, node)}: a function of ${lines} lines`);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** A callback of `describe`, or a function that does nothing but name tests. */
function isGroup(node: Node): boolean {
  if (isCallExpression(node.parent)) return GROUP.test(node.parent.expression.getText());
  return isFunctionDeclaration(node) && !!node.body?.statements.every((statement) => TEST.test(statement.getText()));
}
