/** The API reference in a real browser. */
import { chromium } from "playwright-core";
import { describe, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import type { Stage } from "./stage.ts";

const PHONE_WIDTH_PIXELS = 360;

export function reference(stage: Stage): void {
  describe("the reference", () => {
    test("opens the operation that the address names, fits a phone, and asks no other host", async ({ expect }) => {
      const browser = await chromium.launch({ executablePath: CHROMIUM });
      const page = await browser.newPage({ viewport: { width: PHONE_WIDTH_PIXELS, height: 800 } });
      const complaints: string[] = [];
      const hosts = new Set<string>();
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => hosts.add(new URL(request.url()).host));
      await page.goto(new URL("/docs/reference#createWebhook", stage.server.base).href);
      await page.locator("#createWebhook dl").first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE_WIDTH_PIXELS);
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(stage.server.base).host]);
      await browser.close();
    });
  });
}
