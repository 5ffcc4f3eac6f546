/** The browser of the tests. */
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Keeps it from any traffic of its own. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
