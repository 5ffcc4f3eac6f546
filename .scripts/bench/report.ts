/** The results of a run: a table for people, and a file. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import type { Cost } from "./counting.ts";
import type { Ratio } from "./interleave.ts";
import { figure, ranged, table, verdict } from "./table.ts";

const FOLDER = join(ROOT, ".bench");

/** One row of the table. What was not measured is missing or NaN. */
export interface Result {
  operation: string;
  count: number;
  opsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cost?: Cost | undefined;
  /** What `ratio` compares with. */
  floor?: string | undefined;
  ratio?: Ratio | undefined;
  target?: Target | undefined;
  /** The most that the latencies should be. */
  latencyTarget?: { p50Ms: number; p99Ms: number } | undefined;
}

/** What the median ratio should be. */
type Target = { atLeast: number } | { atMost: number };

const HEAD = [
  "operation",
  "n",
  "ops/s",
  "p50 ms",
  "p99 ms",
  "D1 trips",
  "rows read",
  "written",
  "ratio",
  "to",
  "target",
];

export const resultTable = (results: readonly Result[]): string => table([HEAD, ...results.map(cells)]);

const cells = (result: Result) => [
  result.operation,
  String(result.count),
  figure(result.opsPerSecond),
  figure(result.p50Ms),
  figure(result.p99Ms),
  figure(result.cost?.trips),
  figure(result.cost?.rowsRead),
  figure(result.cost?.rowsWritten),
  result.ratio ? ranged(result.ratio) : "",
  result.floor ?? "",
  targetCell(result),
];

function targetCell({ target, ratio, latencyTarget, p50Ms, p99Ms }: Result): string {
  if (latencyTarget) {
    const isMet = p50Ms <= latencyTarget.p50Ms && p99Ms <= latencyTarget.p99Ms;
    return `p50 <= ${latencyTarget.p50Ms}, p99 <= ${latencyTarget.p99Ms} ${verdict(isMet)}`;
  }
  if (!target || !ratio) return "";
  return "atLeast" in target
    ? `>= ${target.atLeast} ${verdict(ratio.median >= target.atLeast)}`
    : `<= ${target.atMost} ${verdict(ratio.median <= target.atMost)}`;
}

/** The machine and the versions on which the figures were measured. */
export function conditions(): Record<string, unknown> {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string } | undefined>;
  };
  const version = (name: string) => lock.packages[`node_modules/${name}`]?.version ?? "unknown";
  return {
    at: new Date().toISOString(),
    command: `node ${process.argv.slice(1).join(" ").replace(ROOT, "")}`,
    cpu: `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0],
    versions: {
      node: process.version,
      ...Object.fromEntries(["wrangler", "miniflare", "workerd"].map((name) => [name, version(name)])),
    },
  };
}

/** Writes a file into the git-ignored folder of results; returns its path from the root. */
export function save(name: string, content: unknown): string {
  mkdirSync(FOLDER, { recursive: true });
  const text = typeof content === "string" ? content : `${JSON.stringify(content, withoutSamples, 2)}\n`;
  writeFileSync(join(FOLDER, name), text);
  return `.bench/${name}`;
}

/** Leaves out the latencies of single requests. */
const withoutSamples = (key: string, value: unknown): unknown => (key === "latenciesMs" ? undefined : value);
