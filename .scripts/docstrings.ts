/**
 * Reads the declarations in dist/ as an editor does. Fails unless every export and every method has a docstring, every
 * method of the API says what it throws, and every noun of the API has an example.
 */
import { API, type Checker, type Symbol as Declared, SymbolFlags } from "typescript/unstable/sync";

const PACKAGES = ["dist/client/index.d.ts", "dist/verify/index.d.ts"];
/** The interface with the methods of one noun. */
const NOUN = /Methods$/;

const api = new API();
const snapshot = api.updateSnapshot({ openFiles: PACKAGES });
const findings = PACKAGES.flatMap(inPackage);
api.close();
if (findings.length > 0) {
  console.log(findings.join("\n"));
  process.exit(1);
}

function inPackage(file: string): string[] {
  const project = snapshot.getDefaultProjectForFile(file);
  const source = project?.program.getSourceFile(file);
  const module = source && project?.checker.getSymbolAtLocation(source);
  if (!project || !module) throw new Error(`${file} is missing or exports nothing: run npm run build.`);
  const { checker } = project;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .flatMap((exported) => inExport(checker, exported).map((finding) => `${file}: ${exported.name} ${finding}`));
}

function inExport(checker: Checker, exported: Declared): string[] {
  const docstring = (symbol: Declared) => symbol.getDocumentationComment(checker);
  const methods = [...exported.getMembers().values()].filter(({ flags }) => flags & SymbolFlags.Method);
  const findings = [
    ...(docstring(exported) ? [] : ["has no docstring"]),
    ...methods.filter((method) => !docstring(method)).map(({ name }) => `has a method without a docstring, ${name}`),
  ];
  if (!NOUN.test(exported.name)) return findings;
  const vague = methods.filter((method) => !/\bThrows\s/.test(docstring(method)));
  return [
    ...findings,
    ...vague.map(({ name }) => `does not say what ${name} throws`),
    ...(exported.getJsDocTags(checker).some(({ name }) => name === "example") ? [] : ["has no @example"]),
  ];
}
