/** The check of one page: axe-core in both colour schemes, at a desk's width and a phone's. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Result } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { routeOf } from "./console-pages.ts";
import { keepScreenshot, takePicture } from "./pictures.ts";

const PHONE_PIXELS = 360;
const DESK_PIXELS = 1440;
/** Each width and each colour scheme once, which covers every contrast. */
const VIEWS = [
  { width: DESK_PIXELS, height: 900, colorScheme: "light" },
  { width: PHONE_PIXELS, height: 740, colorScheme: "dark" },
] as const;

/**
 * Runs in the page, as text: a function would refer to this file's import, not to the page's own `axe`. It describes no
 * element that passes, which would take longer than the checks.
 */
const RUN = 'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)';

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Gives the current page `axe`. Playwright's own `evaluate` would wrap more than half a megabyte of source and evaluate
 * it inside another script, which takes more CPU for each page.
 */
export async function addAxe(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const { exceptionDetails } = await devTools.send("Runtime.evaluate", { expression: AXE });
  expect(exceptionDetails).toBeUndefined();
  await devTools.detach();
}

/** The violations that axe-core finds in a page that `addAxe` has prepared, with the HTML of the element. */
export async function violations(page: Page): Promise<string[]> {
  const found: Result[] = await page.evaluate(RUN);
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** The routes of the pages that were inspected. */
export const inspected = new Set<string>();

/** Ends once two frames were drawn in the scheme. Without it, axe-core has seen links in the colours of the other. */
const SCHEME_SHOWN = async (scheme: string) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (!matchMedia(`(prefers-color-scheme: ${scheme})`).matches) await frame();
  await frame();
  await frame();
};

/** Checks the current page, which has one primary action at most. After a click, `heading` is that of the next page. */
export async function inspect(page: Page, name: string, heading?: string): Promise<void> {
  if (heading) await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await addAxe(page);
  expect([name, (await page.locator(".button.main:visible").count()) <= 1]).toEqual([name, true]);
  for (const { width, height, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(SCHEME_SHOWN, colorScheme);
    expect([name, width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
      name,
      width,
      width,
    ]);
    await keepScreenshot(page, `pages/${name}-${width}-${colorScheme}`);
    expect([name, colorScheme, await violations(page)]).toEqual([name, colorScheme, []]);
  }
  await takePicture(page, name);
  const route = routeOf(new URL(page.url()).pathname);
  if (route) inspected.add(route);
}
