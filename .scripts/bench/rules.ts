/** What it costs to check a payload, by a schema and by a filter, against the budgets. */
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { bundle, workerModules } from "../bundle.ts";
import type { Run } from "./run.ts";
import { median } from "./statistics.ts";
import { temporaryFolder } from "./temporary.ts";

/** How often a request checks the payload. */
const TIMES = 10_000;
/** Beyond this multiple of a budget, the run fails: less may be the machine. */
const TOLERANCE = 3;

const BUDGETS = {
  validate: { what: "a payload of 4 KiB and 50 properties by a schema", budgetMs: 1 },
  filter: { what: "10 conditions of a filter", budgetMs: 0.05 },
} as const;

/** Measures each kind, and returns a line about it. Throws if one takes more than three times its budget. */
export async function measureRules(run: Run): Promise<string[]> {
  const folder = join(temporaryFolder("rules"), "worker");
  await bundle(folder, new URL("rules.wrangler.toml", import.meta.url).pathname);
  const worker = { modulesRoot: folder, modules: workerModules(folder), compatibilityDate: "2026-11-01" };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...worker, log: new Log(LogLevel.NONE) }));
  try {
    await miniflare.ready;
    const lines: string[] = [];
    for (const [route, { what, budgetMs }] of Object.entries(BUDGETS)) {
      const ms = await millisecondsOf(miniflare, route, run.rounds);
      const line = `${what}: ${ms.toFixed(4)} ms of ${budgetMs} ms`;
      run.progress(line);
      if (!(ms <= budgetMs * TOLERANCE)) throw new Error(`too slow: ${line}`);
      lines.push(line);
    }
    return lines;
  } finally {
    await miniflare.dispose();
  }
}

/** Milliseconds of one check: the difference between requests with many and with none, the median of the rounds. */
async function millisecondsOf(miniflare: Miniflare, route: string, rounds: number): Promise<number> {
  const timeOf = async (times: number) => {
    const beganMs = performance.now();
    const response = await miniflare.dispatchFetch(`http://bench/${route}?n=${times}`);
    const { held } = (await response.json()) as { held: number };
    if (held !== times) throw new Error(`${route} held ${held} of ${times} times`);
    return performance.now() - beganMs;
  };
  await timeOf(TIMES);
  const differences: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const noneMs = await timeOf(0);
    differences.push(((await timeOf(TIMES)) - noneMs) / TIMES);
  }
  return median(differences);
}
