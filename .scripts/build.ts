/** `npm run build`: `postern/client` and `postern/verify` with their types into dist/, which `npm pack` ships. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Inside the project, so that the compiler finds what the sources import. */
const scratch = "dist/.scratch";
const toRoot = "../..";

rmSync("dist", { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
try {
  const entryPoints = ["client", "verify"].map((name) => ({ in: `src/${name}/index.ts`, out: `${name}/index` }));
  await build({ entryPoints, outdir: "dist", bundle: true, format: "esm", target: "es2022", logLevel: "warning" });
  cpSync("src/client", join(scratch, "client"), { recursive: true });
  writeFileSync(join(scratch, "client/types.ts"), plainTypes("src/client/types.ts"));
  const declarations = declare([join(scratch, "client/index.ts"), "src/verify/index.ts"]);
  ship(join(declarations, scratch, "client"), "dist/client");
  ship(join(declarations, "src/verify"), "dist/verify");
} finally {
  rmSync(scratch, { recursive: true });
}

/** The module's exported types written out in full, so that they need neither the server's sources nor its libraries. */
function plainTypes(path: string): string {
  const source = readFileSync(path, "utf8");
  const types = [...source.matchAll(/^((?:\/\*\*.*\*\/\n)?)export type (\w+) =/gm)];
  // The compiler writes out the type of an exported constant; that of an exported alias it leaves as it stands.
  const expansion = [
    `import type * as wire from "${toRoot}/${path.replace(".ts", "")}";`,
    'import type { JSONValue } from "hono/utils/types";',
    "type Plain<T> = JSONValue extends T ? unknown : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;",
    "declare function plain<T>(): Plain<T>;",
    ...types.map(([, , name]) => `export const ${name} = plain<wire.${name}>();`),
  ];
  writeFileSync(join(scratch, "plain.ts"), expansion.join("\n"));
  // Where a value is `unknown`, the compiler writes the type of its schema instead.
  const text = readFileSync(join(declare([join(scratch, "plain.ts")]), scratch, "plain.d.ts"), "utf8").replaceAll(
    'import("zod").ZodUnknown',
    "unknown",
  );
  const comments = new Map(types.map(([, comment, name]) => [name, comment]));
  return text.replace(/^export declare const (\w+): /gm, (_, name) => `${comments.get(name)}export type ${name} = `);
}

/** Emits the declarations of `files` and all they import, below the folder that it returns. */
function declare(files: string[]): string {
  const config = {
    extends: `${toRoot}/tsconfig.json`,
    // `npm run check` has checked the sources.
    compilerOptions: {
      noCheck: true,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: "out",
      rootDir: toRoot,
    },
    include: [],
    files: [...files, "src/worker-env.d.ts"].map((file) => `${toRoot}/${file}`),
  };
  writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
  rmSync(join(scratch, "out"), { recursive: true, force: true });
  const { stdout, error } = spawnSync("tsc", ["-p", scratch], { encoding: "utf8" });
  // The service's own files are in the program too, and need not be declarable.
  const failures = stdout.split("\n").filter((line) => /^(error|dist\/|src\/(client|verify)\/)/.test(line));
  if (error || failures.length > 0) throw new Error(failures.join("\n"), { cause: error });
  return join(scratch, "out");
}

/** Copies declarations. Node wants the extension in an import; an import of anything else would not resolve at the user's. */
function ship(from: string, to: string): void {
  for (const file of readdirSync(from)) {
    const text = readFileSync(join(from, file), "utf8").replace(/(from "\.\/[\w-]+)"/g, '$1.js"');
    const foreign = text.match(/(?:from |import\()"(?!\.\/).*"/);
    if (foreign) throw new Error(`${to}/${file} is not self-contained: ${foreign[0]}`);
    writeFileSync(join(to, file), text);
  }
}
