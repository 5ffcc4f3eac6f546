/** The verifiers that the documentation shows in other languages, which the tests run where their tools are. */
import { spawnSync } from "node:child_process";
import type { Finding } from "./gate.ts";

/** By the file of each verifier: a command that ends with 0 where it can be run. */
export const TOOLS = {
  "verify.py": ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
  "verify.go": ["go", "version"],
  "verify.rb": ["ruby", "--version"],
  "verify.php": ["php", "--version"],
  "Verify.java": ["javac", "-version"],
  "Verify.cs": ["dotnet", "--version"],
  "verify.sh": ["bash", "-c", "openssl version"],
} as const satisfies Readonly<Record<string, readonly [program: string, ...args: string[]]>>;

export type VerifierFile = keyof typeof TOOLS;

/** Whether this machine can run the verifier. */
export function canRun(file: VerifierFile): boolean {
  const [program, ...args] = TOOLS[file];
  return spawnSync(program, args).status === 0;
}

/** Those that the tests cannot run here. */
export async function* checkSnippets(): AsyncGenerator<Finding> {
  for (const file of Object.keys(TOOLS) as VerifierFile[]) {
    const name = `${file} of the documentation`;
    if (!canRun(file)) yield { name, result: "NOT CHECKED", output: `no ${TOOLS[file][0]} on this machine` };
  }
}
