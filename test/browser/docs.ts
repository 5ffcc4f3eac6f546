/** The pages under /docs in a real browser. */
import { readdirSync } from "node:fs";
import { test } from "vitest";
import { addAxe, violations } from "./inspect.ts";
import type { Stage } from "./stage.ts";

const PHONE_WIDTH_PIXELS = 360;
/** It opens every page. */
const TIMEOUT_MS = 240_000;
const PAGES = readdirSync("src/docs/pages", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => (file === "index.md" ? "/docs" : `/docs/${file.slice(0, -3)}`));

export function docs(stage: Stage): void {
  test(
    "every page fits a phone, follows its colour scheme, and causes no browser error and no request to another host",
    async ({ expect }) => {
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
    },
    TIMEOUT_MS,
  );

  test("axe-core finds nothing in pages with code, tables and lists of sections, wide and light or narrow and dark", async ({
    expect,
  }) => {
    const page = await stage.open();
    for (const path of ["/docs", "/docs/verify", "/docs/limits", "/docs/client/auth"]) {
      await page.goto(new URL(path, stage.server.base).href);
      await addAxe(page);
      for (const [width, colorScheme] of [[1440, "light"] as const, [PHONE_WIDTH_PIXELS, "dark"] as const]) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect([path, colorScheme, await violations(page)]).toEqual([path, colorScheme, []]);
      }
    }
    await page.close();
  });

  test("a reader finds a section with the keyboard alone, copies code, and gets back to the console", async ({
    expect,
  }) => {
    const page = await stage.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(new URL("/docs/verify", stage.server.base).href);
    await page.keyboard.press("/");
    await page.keyboard.type("key rotation");
    await page
      .locator(".results")
      .getByRole("link", { name: /^Operations: Key rotation/ })
      .waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/operations#key-rotation$/);
    const block = page.locator(".block").first();
    await block.hover();
    // The button says so for a moment only, which a busy machine could miss.
    const button = block.getByRole("button", { name: "Copy" });
    await button.evaluate((element) => {
      const said = (done: () => void) => new MutationObserver(done).observe(element, { childList: true });
      Object.assign(globalThis, { said: new Promise<string | null>((done) => said(() => done(element.textContent))) });
    });
    await button.click();
    expect(await page.evaluate("said")).toBe("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await block.locator("pre").textContent());
    await page.getByRole("link", { name: "Console", exact: true }).first().click();
    await page.waitForURL(/\/console/);
    await page.close();
  });

  test("on a phone, the menu opens the links to the pages", async ({ expect }) => {
    const page = await stage.open({ viewport: { width: PHONE_WIDTH_PIXELS, height: 800 } });
    await page.goto(new URL("/docs", stage.server.base).href);
    const link = page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Retries" });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await link.click();
    await page.waitForURL(/\/docs\/retries$/);
    await page.close();
  });
}
