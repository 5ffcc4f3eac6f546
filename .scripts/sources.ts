/** Every TypeScript file of the project, for the checks that read the code itself. */
import { relative } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API, type Project } from "typescript/unstable/sync";

const PROJECTS = ["tsconfig.json", ".scripts/tsconfig.json", ".scripts/tsconfig.browser.json"];

/** Prints what `check` finds in the files of our own, and ends the process with 1 if it finds anything. */
export function everySource(check: (file: SourceFile, project: Project) => string[]): void {
  const api = new API();
  const seen = new Set<string>();
  const findings = PROJECTS.flatMap((config) => inProject(api, config, seen, check));
  api.close();
  if (findings.length === 0) return;
  console.log(findings.join("\n"));
  process.exitCode = 1;
}

/** Checks the files that no earlier project had, which are then `seen`. */
function inProject(
  api: API,
  config: string,
  seen: Set<string>,
  check: (file: SourceFile, project: Project) => string[],
): string[] {
  const project = api.updateSnapshot({ openProject: config }).getProject(config);
  if (!project) throw new Error(`${config} is not a project`);
  return project.program
    .getSourceFileNames()
    .filter((name) => !name.includes("/node_modules/") && !name.endsWith(".d.ts") && !seen.has(name))
    .flatMap((name) => {
      seen.add(name);
      const file = project.program.getSourceFile(name);
      return file ? check(file, project) : [];
    });
}

/** The path and line of a node, as editors open it. */
export function place(file: SourceFile, node: Node): string {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${relative(process.cwd(), file.fileName)}:${line + 1}`;
}
