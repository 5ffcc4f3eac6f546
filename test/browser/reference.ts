/** The API reference in a real browser. */
import type { Page } from "playwright-core";
import { test } from "vitest";
import type { Stage } from "./stage.ts";

const PHONE_WIDTH_PIXELS = 360;
/** Swagger UI computes for seconds before it shows the first operation, even where nothing else runs. */
const RENDERED_WITHIN_MS = 90_000;
const TEST_TIMEOUT_MS = 150_000;
/** Long, because other pages load at the same time. */
const SHOWN = { timeout: 15_000 };

/**
 * Opens the page and waits for its operations. `complaints` collects console messages and errors, `hosts` the hosts it
 * requested from.
 */
async function openReference({ browser, server }: Stage, widthPixels: number) {
  const page = await browser.newPage({ viewport: { width: widthPixels, height: 800 } });
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).host);
  });
  await page.goto(new URL("/docs/reference", server.base).href);
  await page.locator(".opblock-tag").first().waitFor({ timeout: RENDERED_WITHIN_MS });
  return { page, complaints, hosts };
}

/** Opens the group of operations called `tag`, and returns it. */
async function openTag(page: Page, tag: string) {
  const heading = page.locator(`[id="operations-tag-${tag.replaceAll(" ", "_")}"]`);
  await heading.click();
  return page.locator(".opblock-tag-section", { has: heading });
}

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

export function reference(stage: Stage): void {
  test("the reference shows every operation, with no browser error and no request to another host", {
    timeout: TEST_TIMEOUT_MS,
  }, async ({ expect }) => {
    const { page, complaints, hosts } = await openReference(stage, 1280);
    const { paths } = (await (await fetch(new URL("/api/v1/openapi.json", stage.server.base))).json()) as {
      paths: Record<string, Record<string, { tags: string[] }>>;
    };
    const tags = Object.values(paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.tags));
    for (const tag of new Set(tags)) {
      const group = await openTag(page, tag);
      const operations = tags.filter((one) => one === tag).length;
      await expect.poll(() => group.locator(".opblock[id^=operations-]").count(), SHOWN).toBe(operations);
      await openTag(page, tag);
    }
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([new URL(stage.server.base).host]);
    await page.close();
  });

  test("the reference fits a phone with an operation expanded and its form shown", {
    timeout: TEST_TIMEOUT_MS,
  }, async ({ expect }) => {
    const { page, complaints } = await openReference(stage, PHONE_WIDTH_PIXELS);
    expect(await widthOf(page)).toBe(PHONE_WIDTH_PIXELS);
    await openTag(page, "Webhooks");
    const operation = page.locator("#operations-Webhooks-createWebhook");
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).waitFor();
    expect(await widthOf(page)).toBe(PHONE_WIDTH_PIXELS);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("the reference calls the service from its form under the page's Content-Security-Policy", {
    timeout: TEST_TIMEOUT_MS,
  }, async ({ expect }) => {
    const { page } = await openReference(stage, 1280);
    await openTag(page, "Service");
    const operation = page.locator("#operations-Service-getHealth");
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    await expect
      .poll(() => operation.locator(".live-responses-table").textContent(), SHOWN)
      .toContain('"status": "ok"');
    await page.close();
  });
}
