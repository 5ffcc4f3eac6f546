/** What a gate found, and how a gate runs another program. */
import { spawn } from "node:child_process";

export interface Finding {
  name: string;
  /**
   * "skipped": there is nothing to check here. "NOT CHECKED": whoever knows did not answer, or is missing. The reason
   * is in `output`.
   */
  result: "ok" | "FAILED" | "skipped" | "NOT CHECKED";
  output: string;
}

export const finding = (name: string, ok: boolean, output: string): Finding => ({
  name,
  result: ok ? "ok" : "FAILED",
  output,
});

/** Runs a program to its end, or for `timeoutMs`, after which it counts as failed. */
export async function run(
  [program = "", ...args]: readonly string[],
  timeoutMs = 300_000,
): Promise<{ ok: boolean; output: string }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null)).once("close", resolve);
  });
  return { ok: code === 0, output };
}

/** A gate that is one program. */
export async function program(name: string, ...command: string[]): Promise<Finding> {
  const { ok, output } = await run(command);
  return finding(name, ok, output);
}
