/** The log of the service during a test: every line that any part of the Worker writes to the console. */
import { afterAll, beforeAll, vi } from "vitest";
import { eventually } from "./client";
import { noteLine } from "./platform-limits";

// biome-ignore lint/suspicious/noExplicitAny: lines have the fields of their message, which assertions state
type Line = Record<string, any>;

/** Captures from the beginning of the test file to its end. */
export function captureLog() {
  const text: string[] = [];
  const methods = ["debug", "log", "info", "warn", "error", "trace"] as const;
  beforeAll(() => {
    for (const method of methods) {
      vi.spyOn(console, method).mockImplementation((...args: unknown[]) => {
        const line = args.map(String).join(" ");
        noteLine(line);
        text.push(line);
      });
    }
  });
  afterAll(() => void vi.restoreAllMocks());
  const lines = (message: string): Line[] =>
    text.map((line) => JSON.parse(line) as Line).filter((line) => line.message === message);
  return {
    text,
    lines,
    /** The lines with this message that `wanted` accepts, once there are `count`. */
    linesOnceThere: (message: string, wanted: (line: Line) => boolean, count: number) =>
      eventually(`${count} lines "${message}"`, async () => {
        const found = lines(message).filter(wanted);
        return found.length >= count && found;
      }),
  };
}
