/** The built service and a real Chromium, for tests of the pages. */
import { randomBytes } from "node:crypto";
import { existsSync, writeSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { createTestHarness } from "wrangler";

const STDERR = 2;
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Keeps the browser from any traffic of its own. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The service's address and the browser, once `beforeAll` has run. */
export interface Stage {
  url: URL;
  browser: Browser;
}

/** Runs `tests` if Chromium is installed; else skips them and says why. */
export function describeWhere(name: string, tests: () => void): void {
  const present = existsSync(CHROMIUM);
  // Written directly, because vitest hides what passing tests print.
  if (!present) writeSync(STDERR, `${name}: skipped, no Chromium at ${CHROMIUM} (set CHROMIUM to its path)\n`);
  describe.skipIf(!present)(present ? name : `${name} (no Chromium at ${CHROMIUM})`, tests);
}

/** Runs `tests` against the built service in Chromium. */
export function describeInBrowser(name: string, tests: (stage: Stage) => void): void {
  describeWhere(name, () => {
    const stage = {} as Stage;
    const vars = { SECRET_KEYS: randomBytes(32).toString("hex") };
    const service = createTestHarness({ workers: [{ configPath: "wrangler.toml", vars }] });
    beforeAll(async () => {
      stage.url = (await service.listen()).url;
      await service.getWorker().applyD1Migrations("DB");
      stage.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    });
    afterAll(async () => {
      await stage.browser?.close();
      await service.close();
    });
    tests(stage);
  });
}
