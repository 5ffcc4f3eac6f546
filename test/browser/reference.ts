/** The API reference in a real browser. */
import { chromium, type Page } from "playwright-core";
import { afterAll, describe, test } from "vitest";
import { CHROMIUM, OPTIMIZING_FLAGS } from "./chromium.ts";
import type { Stage } from "./stage.ts";

const PHONE_WIDTH_PIXELS = 360;
const DESK_WIDTH_PIXELS = 1280;
/** Swagger UI computes for seconds before it shows the first operation, on a machine with nothing else to do. */
const RENDERED_WITHIN_MS = 180_000;
/** It opens every group, after the page itself. */
const TIMEOUT_MS = 300_000;
/** Long, because other pages load at the same time. */
const SHOWN = { timeout: 60_000 };

interface Reference {
  page: Page;
  /** Console messages and errors. */
  complaints: string[];
  /** The hosts that it requested from. */
  hosts: Set<string>;
}

/** Opens the page in a browser of its own and waits for its operations. */
async function openReference({ server }: Stage): Promise<Reference> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: OPTIMIZING_FLAGS });
  const page = await browser.newPage({ viewport: { width: DESK_WIDTH_PIXELS, height: 800 } });
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

/** Expands an operation and shows its form. */
async function tryOut(page: Page, selector: string) {
  const operation = page.locator(selector);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  return operation;
}

/** How many operations each tag has. */
async function operationsByTag({ server }: Stage): Promise<Map<string, number>> {
  const { paths } = (await (await fetch(new URL("/api/v1/openapi.json", server.base))).json()) as {
    paths: Record<string, Record<string, { tags: string[] }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const byTag = Map.groupBy(
    operations.flatMap(({ tags }) => tags),
    (tag) => tag,
  );
  return new Map([...byTag].map(([tag, all]) => [tag, all.length]));
}

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

/** One page for all tests, one after the other, because opening it costs more than all that they do with it. */
export function reference(stage: Stage): void {
  describe("the reference", { concurrent: false }, () => {
    let opened: Promise<Reference> | undefined;
    const open = () => {
      opened ??= openReference(stage);
      return opened;
    };
    afterAll(async () => (await opened)?.page.context().browser()?.close());

    test(
      "shows every operation, with no browser error and no request to another host",
      async ({ expect }) => {
        const { page, complaints, hosts } = await open();
        for (const [tag, count] of await operationsByTag(stage)) {
          const group = await openTag(page, tag);
          await expect.poll(() => group.locator(".opblock[id^=operations-]").count(), SHOWN).toBe(count);
          await openTag(page, tag);
        }
        expect(complaints).toEqual([]);
        expect([...hosts]).toEqual([new URL(stage.server.base).host]);
      },
      TIMEOUT_MS,
    );

    test(
      "calls the service from its form under the page's Content-Security-Policy",
      async ({ expect }) => {
        const { page } = await open();
        await openTag(page, "Service");
        const operation = await tryOut(page, "#operations-Service-getHealth");
        await operation.getByRole("button", { name: "Execute" }).click();
        await expect
          .poll(() => operation.locator(".live-responses-table").textContent(), SHOWN)
          .toContain('"status": "ok"');
      },
      TIMEOUT_MS,
    );

    test(
      "fits a phone with an operation expanded and its form shown",
      async ({ expect }) => {
        const { page, complaints } = await open();
        await page.setViewportSize({ width: PHONE_WIDTH_PIXELS, height: 800 });
        expect(await widthOf(page)).toBe(PHONE_WIDTH_PIXELS);
        await openTag(page, "Webhooks");
        const operation = await tryOut(page, "#operations-Webhooks-createWebhook");
        await operation.getByRole("button", { name: "Execute" }).waitFor();
        expect(await widthOf(page)).toBe(PHONE_WIDTH_PIXELS);
        expect(complaints).toEqual([]);
      },
      TIMEOUT_MS,
    );
  });
}
