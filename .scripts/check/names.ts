/** Whether the stacks that the Worker logs name our functions and classes, although it is minified. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import { workerModules } from "../bundle.ts";
import { readConfiguration } from "../deploy/configuration.ts";
import { type Finding, finding } from "./gate.ts";

/** What a sign-in calls on its way to the rate limiter. */
const FUNCTIONS = ["consumeByAddress", "orUnavailable", "withRetry"];
/** It has no `name` of its own, so its name is in the bundle only if bundling has kept it. */
const ERROR_CLASS = "HashRefused";
const MAX_WAIT_MS = 20_000;

/** Runs the bundle in `folder`. */
export async function checkNames(folder: string): Promise<Finding> {
  const stack = await loggedStack(folder);
  const lost = FUNCTIONS.filter((name) => !stack.includes(`at ${name} `));
  if (!readFileSync(join(folder, "index.js"), "utf8").includes(`"${ERROR_CLASS}"`)) lost.push(ERROR_CLASS);
  const hint = `Not named: ${lost.join(", ")}. See keep_names in wrangler.toml.\n${stack}`;
  return finding("names of functions and classes in a logged stack", lost.length === 0, hint);
}

/** The line of a sign-in that fails, in a Worker that has its settings and neither databases nor objects. */
async function loggedStack(folder: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  AbortSignal.timeout(MAX_WAIT_MS).addEventListener("abort", () => resolve("no stack was logged"));
  const worker: V4WorkerOptions = {
    modulesRoot: folder,
    modules: workerModules(folder),
    bindings: { ...readConfiguration().vars, SECRET_KEYS: randomBytes(32).toString("hex") } as Record<string, string>,
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      compatibilityDate: "2026-11-01",
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }) => {
        if (message.includes('"stack"')) resolve(message);
      },
    }),
  );
  try {
    await miniflare.dispatchFetch("http://localhost/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "a@example.com", password: "any" }),
    });
    return await promise;
  } finally {
    await miniflare.dispose();
  }
}
