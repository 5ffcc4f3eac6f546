/**
 * The pictures in src/docs/pages/console.md and the README, taken of pages that the suite opens anyway. `PICTURES=1 npm
 * test` updates them.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";

const FOLDER = "src/docs/pages/console";
/** Git-ignored. */
const SCREENSHOTS = ".screenshots";
const VIEW = { width: 1200, height: 780 };
const QUALITY_PERCENT = 75;
const MAX_BYTES = 60 * 1024;
/** The pages, by the names that appearance.ts gives them. */
const PAGES = ["event", "overview", "security", "subscription-failing"];
const taken = new Map<string, Buffer>();

/** Keeps a picture of the whole page for people to look at, if they ask for it: it costs as much as the checks. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}

/** Takes the picture of the page with this name, if the documentation shows it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!PAGES.includes(name)) return;
  await page.setViewportSize(VIEW);
  await page.emulateMedia({ colorScheme: "light" });
  const devTools = await page.context().newCDPSession(page);
  const options = { format: "webp", quality: QUALITY_PERCENT } as const;
  const picture = Buffer.from((await devTools.send("Page.captureScreenshot", options)).data, "base64");
  await devTools.detach();
  expect([name, picture.length < MAX_BYTES]).toEqual([name, true]);
  taken.set(name, picture);
}

export function pictures(): void {
  // Not earlier: the service starts again when a file of src/ changes.
  afterAll(() => {
    if (process.env.PICTURES) for (const [name, picture] of taken) writeFileSync(`${FOLDER}/${name}.webp`, picture);
  });

  test("the documentation has a picture of each page that it shows, and shows each", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(PAGES.map((name) => `${name}.webp`));
    const page = readFileSync(`${FOLDER}.md`, "utf8");
    const shown = [...page.matchAll(/!\[[^\]]{20,}\]\(console\/([\w-]+)\.webp\)/g)].map(([, name]) => name);
    expect(shown.sort()).toEqual(PAGES);
  });
}
