/** Fails where a function of the service is longer than 60 lines, or a line wider than 120 columns: SQL and text too. */
import { relative } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
} from "typescript/unstable/ast/is";
import { API } from "typescript/unstable/sync";

const MAX_LINES = 60;
const MAX_COLUMNS = 120;
const GENERATED = /(worker-env\.d|sdk\/client\/generated)\.ts$|\.json$/;
const IS_FUNCTION = [isArrowFunction, isFunctionDeclaration, isFunctionExpression, isMethodDeclaration];

const api = new API();
const project = api.updateSnapshot({ openProject: "tsconfig.json" }).getProject("tsconfig.json");
if (!project) throw new Error("tsconfig.json is not a project");
const { program } = project;
const findings = program
  .getSourceFileNames()
  .filter((name) => name.startsWith(`${process.cwd()}/src/`) && !GENERATED.test(name))
  .flatMap((name) => program.getSourceFile(name) ?? [])
  .flatMap((file) => [...longFunctions(file), ...wideLines(file)]);
api.close();
if (findings.length > 0) {
  console.log(findings.join("\n"));
  process.exit(1);
}

function longFunctions(file: SourceFile): string[] {
  const found: string[] = [];
  const line = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: Node): void => {
    const lines = line(node.end) - line(node.getStart()) + 1;
    if (lines > MAX_LINES && IS_FUNCTION.some((is) => is(node)))
      found.push(`${place(file, line(node.getStart()))}: a function of ${lines} lines`);
    if (lines > MAX_LINES) node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return found;
}

function wideLines(file: SourceFile): string[] {
  return file.text
    .split("\n")
    .flatMap((text, index) => (text.length > MAX_COLUMNS ? [`${place(file, index + 1)}: ${text.length} columns`] : []));
}

function place(file: SourceFile, line: number): string {
  return `${relative(process.cwd(), file.fileName)}:${line}`;
}
