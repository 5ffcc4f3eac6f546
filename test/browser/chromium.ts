import { existsSync } from "node:fs";

/** The headless shell passes the same tests with half the CPU time of the whole browser. */
const SHELL = "/usr/bin/chromium-headless-shell";

/** The path of the browser that the tests use. */
export const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : "/usr/bin/chromium");
/** Keeps it from any traffic of its own. For a page whose scripts compute for seconds. */
export const OPTIMIZING_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** Keeps it from optimizing scripts too, for pages that are gone a moment later. */
export const FLAGS = [...OPTIMIZING_FLAGS, "--js-flags=--no-opt --no-maglev"];
