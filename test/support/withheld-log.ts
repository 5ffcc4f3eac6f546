/**
 * What the Worker writes to the console during a test, printed only if that test fails. Vitest would send each line to
 * its own process, which takes longer than many requests do.
 */
import { beforeEach } from "vitest";
import { noteLine } from "./platform-limits";

/** Enough to see what came before a failure. */
const MAX_LINES = 500;
const METHODS = ["debug", "log", "info", "warn", "error"] as const;

const lines: string[] = [];
let isWithheld = false;

/** Takes the place of the console for all test files of this runtime, and adds the lines to the errors of this one. */
export function withholdLog(): void {
  if (!isWithheld) for (const method of METHODS) console[method] = withhold;
  isWithheld = true;
  beforeEach(({ task, onTestFailed }) => {
    lines.length = 0;
    onTestFailed(() => {
      const error = task.result?.errors?.at(-1);
      if (error && lines.length > 0) error.message += `\n\nThe log of the test:\n${lines.join("\n")}\n`;
    });
  });
}

function withhold(...values: unknown[]): void {
  if (lines.length === MAX_LINES) lines.shift();
  const line = values.map(String).join(" ");
  noteLine(line);
  lines.push(line);
}
