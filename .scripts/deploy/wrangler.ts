/** Runs wrangler. */
import { spawn } from "node:child_process";

/** Runs `wrangler ARGS`, and returns what it printed. Throws with its own message when it fails. */
export type Wrangler = (...args: string[]) => Promise<string>;

/** The real wrangler, without questions. */
export async function wranglerOutput(...args: string[]): Promise<string> {
  const child = spawn("wrangler", args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CI: "true", NO_COLOR: "1", FORCE_COLOR: "0", WRANGLER_SEND_METRICS: "false" },
  });
  let output = "";
  let text = "";
  child.stdout.on("data", (data) => {
    output += data;
    text += data;
  });
  child.stderr.on("data", (data) => {
    text += data;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${wordsOf(text)}`);
  return output;
}

/** Wrangler's message without its banner and the path of its log file. */
function wordsOf(text: string): string {
  const lines = text.split("\n").filter((line) => !/⛅️|^─+$|Logs were written to/.test(line));
  return lines.join("\n").trim();
}
