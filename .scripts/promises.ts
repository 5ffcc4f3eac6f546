/**
 * Finds where a promise is started and then forgotten: a statement whose value is a promise, or an async function where
 * the caller ignores what it returns. In a Worker the work of such a promise is lost when the invocation ends. Biome
 * has a rule for this, which does not see through the types of the runtime, such as D1's.
 */
import { type Expression, type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isFunctionExpression,
  isPropertyAccessExpression,
} from "typescript/unstable/ast/is";
import { type Checker, type Project, SignatureKind, type Type, TypeFlags } from "typescript/unstable/sync";
import { place } from "./sources.ts";

/** Operators that keep the value. */
const KEEPS: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.EqualsToken, SyntaxKind.QuestionQuestionEqualsToken]);

/** Names the places in a file whose promise nobody waits for. */
export function forgottenPromises(file: SourceFile, { checker }: Project): string[] {
  const { statements, callbacks } = candidates(file);
  const types = statements.length === 0 ? [] : checker.getTypeAtLocation(statements);
  return [
    ...statements.filter((_, index) => isPromise(checker, types[index])),
    ...callbacks.filter((callback) => isIgnored(checker, callback)),
  ].map((node) => `${place(file, node)}: nobody waits for this promise`);
}

/** The expressions whose value a statement drops, and the functions that are passed to others. */
function candidates(file: SourceFile): { statements: Expression[]; callbacks: Expression[] } {
  const statements: Expression[] = [];
  const callbacks: Expression[] = [];
  const visit = (node: Node): void => {
    if (isExpressionStatement(node) && dropsItsValue(node.expression)) statements.push(node.expression);
    if (isArrowFunction(node) || isFunctionExpression(node)) callbacks.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  return { statements, callbacks };
}

/** Not `await x`, not `void x`, not `x = y`, and not `x.catch(y)` or `x.then(y, z)`, which handle the failure. */
function dropsItsValue(expression: Expression): boolean {
  if (expression.kind === SyntaxKind.AwaitExpression || expression.kind === SyntaxKind.VoidExpression) return false;
  if (isBinaryExpression(expression)) return !KEEPS.has(expression.operatorToken.kind);
  if (!isCallExpression(expression) || !isPropertyAccessExpression(expression.expression)) return true;
  const method = expression.expression.name.text;
  return !(method === "catch" || (method === "then" && expression.arguments.length === 2));
}

function isPromise(checker: Checker, type: Type | undefined): boolean {
  return type !== undefined && checker.getPropertyOfType(type, "then") !== undefined;
}

/** Whether a function returns a promise to a caller whose type says that it expects nothing. */
function isIgnored(checker: Checker, callback: Expression): boolean {
  const expected = checker.getContextualType(callback);
  const [wanted] = expected ? checker.getSignaturesOfType(expected, SignatureKind.Call) : [];
  const returned = wanted && checker.getReturnTypeOfSignature(wanted);
  if (!returned || !(returned.flags & TypeFlags.Void)) return false;
  const type = checker.getTypeAtLocation(callback);
  const [signature] = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
  return signature !== undefined && isPromise(checker, checker.getReturnTypeOfSignature(signature));
}
