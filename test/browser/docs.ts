/** The pages under /docs in a real browser. */
import { readdirSync } from "node:fs";
import { test } from "vitest";
import type { Stage } from "./stage.ts";

const PHONE_WIDTH_PIXELS = 360;
const PAGES = readdirSync("src/docs/pages")
  .filter((file) => file.endsWith(".md"))
  .map((file) => (file === "index.md" ? "/docs" : `/docs/${file.slice(0, -3)}`));

export function docs(stage: Stage): void {
  test("the pages of the documentation fit a phone, follow its colour scheme, and cause no browser error and no request to another host", async ({
    expect,
  }) => {
    const page = await stage.browser.newPage({ viewport: { width: PHONE_WIDTH_PIXELS, height: 800 } });
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("request", (request) => void hosts.add(new URL(request.url()).host));
    for (const path of PAGES) {
      await page.goto(new URL(path, stage.server.base).href);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, width]).toEqual([path, PHONE_WIDTH_PIXELS]);
      expect(await page.locator(".pages a[aria-current]").count()).toBe(1);
    }
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "light" });
    expect(await ground()).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).toBe("rgb(20, 23, 27)");
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(stage.server.base).host]);
    await page.close();
  });
}
